import type { Outcome } from '../../contract/verdict.ts';
import type { Html } from '../html/template.ts';
import { printableLine } from '../model/words.ts';

/** Words in a line; each medium makes them safe to show. */
export type Words = string | number | Mark | readonly Words[];

type Mark =
  /** What somebody named. */
  | { readonly code: string }
  | { readonly muted: Words }
  /** Words with the sign and the colour of an outcome. */
  | { readonly outcome: Outcome; readonly words: string }
  /** What other words are about. */
  | { readonly name: Words }
  /** In a page, the words lead to the element of that id. */
  | { readonly words: Words; readonly to: string };

/** A table. Its first column names the row, its caption is for who cannot see what stands around it. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Words[])[];
  /** The last row, which adds up the others. */
  readonly sums?: readonly Words[];
  /** Of each row what a page filters it by. Such a table is long: its head and its first column stay in sight. */
  readonly found?: readonly string[];
}

/** Values by name. */
export type NamedValues = readonly (readonly [name: string, value: string])[];

/** Something that has an outcome, with what is said of it. */
export interface Entry {
  readonly outcome: Outcome;
  readonly head: Words;
  readonly blocks: readonly DocumentBlock[];
  /** That it has in a page. */
  readonly id?: string;
}

/** Where people read a document: a page shows the most, a terminal the least. */
export type Medium = 'page' | 'markdown' | 'terminal';

/** A part of a document. What is empty is shown nowhere. `look` is how a page shows it, as classes of its style sheet. */
export type DocumentBlock =
  | { readonly kind: 'line'; readonly words: Words; readonly look: string }
  | { readonly kind: 'list'; readonly items: readonly Words[]; readonly look: string }
  | { readonly kind: 'entries'; readonly entries: readonly Entry[]; readonly look: string }
  | { readonly kind: 'table'; readonly table: Table; readonly look: string }
  | { readonly kind: 'facts'; readonly facts: NamedValues; readonly caption: string | null }
  /** Text as it stands elsewhere, safe to show. */
  | { readonly kind: 'text'; readonly language: 'text' | 'sh' | 'http'; readonly text: string }
  | ({ readonly kind: 'section'; readonly blocks: readonly DocumentBlock[] } & SectionHead)
  | {
      readonly kind: 'folded';
      readonly summary: Words;
      readonly blocks: readonly DocumentBlock[];
      readonly look: string;
    }
  /** What only a page can show. */
  | { readonly kind: 'drawing'; readonly draw: () => Html | Promise<Html> }
  | { readonly kind: 'only'; readonly media: readonly Medium[]; readonly blocks: readonly DocumentBlock[] };

/** What stands above a section. */
interface SectionHead {
  readonly title: string;
  /** Of what the section is about, with the id that it has in a page. */
  readonly about?: { readonly outcome: Outcome; readonly id: string };
}

/** What is said of a run, a matrix or a storm, for all that people read. */
export interface Document {
  readonly title: string;
  readonly outcome: Outcome;
  /** In place of the sign of the outcome. */
  readonly sign?: string;
  /** What the document is about, after the name of the product. */
  readonly about: string;
  readonly verdict: string;
  readonly scope: string;
  readonly facts: NamedValues;
  /** In the order in which it is read. */
  readonly blocks: readonly DocumentBlock[];
  /** Whether its tables take the whole width of a window. */
  readonly isWide?: boolean;
  /** Whether a terminal says its scope at the end, too. */
  readonly isLong?: boolean;
}

export function line(words: Words | undefined, look = ''): DocumentBlock {
  return { kind: 'line', words: words ?? '', look };
}

export function lines(items: readonly Words[], look = 'lines'): DocumentBlock {
  return { kind: 'list', items, look };
}

/** What the reader should know before all else. */
export function notices(all: readonly string[]): DocumentBlock {
  return lines(all, 'card lines notice');
}

export function entry(outcome: Outcome, head: Words, ...blocks: readonly DocumentBlock[]): Entry {
  return { outcome, head, blocks };
}

export function entries(all: readonly Entry[], look = 'seen'): DocumentBlock {
  return { kind: 'entries', entries: all, look };
}

export function table(shown: Table, look = 'figures'): DocumentBlock {
  return { kind: 'table', table: shown, look };
}

/** Values by name, in a table of that caption if it has one. */
export function facts(all: NamedValues, caption: string | null = null): DocumentBlock {
  return { kind: 'facts', facts: all, caption };
}

/** Longest command line shown, in characters: one that is cut cannot be run. */
const COMMAND_LIMIT = 8000;

/** Command lines, each whole. */
export function commands(all: readonly (string | undefined)[]): DocumentBlock {
  return text(
    'sh',
    all.flatMap((command) => (command === undefined ? [] : printableLine(command, COMMAND_LIMIT))),
  );
}

/** @param shown lines that are safe to show */
export function text(language: 'text' | 'sh' | 'http', shown: readonly string[]): DocumentBlock {
  return { kind: 'text', language, text: shown.join('\n') };
}

export function section(head: string | SectionHead, ...blocks: readonly DocumentBlock[]): DocumentBlock {
  return { kind: 'section', ...(typeof head === 'string' ? { title: head } : head), blocks };
}

/** What stands behind a line until it is unfolded; a terminal cannot fold. */
export function folded(summary: Words, blocks: readonly DocumentBlock[], look = 'rest'): DocumentBlock {
  return { kind: 'folded', summary, blocks, look };
}

export function drawing(draw: () => Html | Promise<Html>): DocumentBlock {
  return { kind: 'drawing', draw };
}

export function onPage(...blocks: readonly DocumentBlock[]): DocumentBlock {
  return { kind: 'only', media: ['page'], blocks };
}

export function inMarkdown(...blocks: readonly DocumentBlock[]): DocumentBlock {
  return { kind: 'only', media: ['markdown'], blocks };
}

export function onTerminal(...blocks: readonly DocumentBlock[]): DocumentBlock {
  return { kind: 'only', media: ['terminal'], blocks };
}

export function unlessTerminal(...blocks: readonly DocumentBlock[]): DocumentBlock {
  return { kind: 'only', media: ['page', 'markdown'], blocks };
}

export function unlessPage(...blocks: readonly DocumentBlock[]): DocumentBlock {
  return { kind: 'only', media: ['markdown', 'terminal'], blocks };
}

/** The first of the entries, and a line that says how many more there are. */
export function firstEntries(all: readonly Entry[], most: number): readonly DocumentBlock[] {
  const hidden = all.length - most;
  return [entries(all.slice(0, most)), line(hidden > 0 ? `and ${hidden} more in report.json` : undefined)];
}

/** A block, but for whether it is shown. */
export type ShownBlock = Exclude<DocumentBlock, { kind: 'only' }>;

/** The blocks that a medium shows. */
export function shownIn(medium: Medium, blocks: readonly DocumentBlock[]): readonly ShownBlock[] {
  return blocks.flatMap((block) =>
    block.kind !== 'only' ? block : block.media.includes(medium) ? shownIn(medium, block.blocks) : [],
  );
}

/** What the words say where nothing marks them, in one line that is safe to show. */
export function plainText(words: Words): string {
  if (typeof words !== 'object') {
    return printableLine(`${words}`);
  }
  if ('length' in words) {
    return words.map(plainText).join('');
  }
  return plainText(
    'code' in words
      ? words.code
      : 'muted' in words
        ? words.muted
        : 'name' in words
          ? words.name
          : words.words,
  );
}
