import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));

/** A fenced block of a page: ```language title=title */
export interface Block {
  readonly language: string;
  /** The name of an example file or of an output, or '' if the block has none. */
  readonly title: string;
  readonly text: string;
}

/** A heading of a page with everything up to the next heading. */
interface Section {
  readonly title: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

export interface PageFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly sections: readonly Section[];
}

function blocksOf(text: string): readonly Block[] {
  const fences = text.matchAll(/^```(?<language>\w+)(?: title=(?<title>\S+))?\n(?<text>[^]*?)^```$/gm);
  return [...fences].map(({ groups }) => ({
    language: groups?.['language'] ?? '',
    title: groups?.['title'] ?? '',
    text: groups?.['text'] ?? '',
  }));
}

function readPage(path: string): PageFile {
  const text = readFileSync(join(REPOSITORY, path), 'utf8');
  return {
    path,
    text,
    sections: text.split(/^(?=##+ )/m).map((section) => ({
      title: /^#+ (?<title>.*)$/m.exec(section)?.groups?.['title'] ?? '',
      text: section,
      blocks: blocksOf(section),
    })),
  };
}

/** Whether a section changes files of the repository; its commands then run in a copy that has them. */
export function isForContributors({ blocks }: Section): boolean {
  return blocks.some(({ title }) => title.includes('/'));
}

/** The lines of a change to a file, without those that begin with the sign: `+` for the text before, `-` for the text after. */
export function linesWithout(text: string, sign: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(sign))
    .map((line) => line.slice(1))
    .join('\n');
}

/** An output without the counts, times and ports that differ from run to run; those of a verdict do not. */
export function withoutNumbers(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .map((line) => (/MUST|^(?:must|should|observe) /.test(line) ? line : line.replaceAll(/[\d.]+/g, '0')))
    .join('\n');
}

const HELD_UP = /not valid\. The (?:generator fell behind|threads began \d+ ms apart)/;

/**
 * The exit codes that a command may have that a page shows. Other tests may hold up the generator of `load` or one of its
 * threads, which then says so instead of passing: what that shows is undecided, or crosses a threshold for certain, as the
 * target is on the same machine.
 */
export function exitCodesOf(output: string, shown: number): readonly number[] {
  return HELD_UP.test(output) ? [3, 1] : [shown];
}

/** Every page that people read, the README first. */
export const PAGES: readonly PageFile[] = [
  'README.md',
  ...globSync(['*.md', 'docs/**/*.md', 'contract/*.md', '.github/**/*.md'], { cwd: REPOSITORY })
    .filter((path) => path !== 'README.md')
    .toSorted(),
].map(readPage);

/** The text of a page. @throws {Error} if there is no such page */
export function pageText(path: string): string {
  const page = PAGES.find((one) => one.path === path);
  if (page === undefined) {
    throw new Error(`There is no page ${path}`);
  }
  return page.text;
}

const BLOCKS = PAGES.flatMap(({ sections }) => sections)
  .filter((section) => !isForContributors(section))
  .flatMap(({ blocks }) => blocks);

/** Files that a reader writes, in the order of the pages. */
export const EXAMPLE_FILES = BLOCKS.filter(({ language, title }) => title !== '' && language !== 'text');

/** What a command prints, by the title of its block. @throws {Error} if there is no such block */
export function shownOutput(title: string): string {
  const block = BLOCKS.find((one) => one.language === 'text' && one.title === title);
  if (block === undefined) {
    throw new Error(`No page shows the output ${title}`);
  }
  return block.text;
}
