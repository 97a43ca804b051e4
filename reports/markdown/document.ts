import {
  type DocumentBlock,
  type Document,
  type Entry,
  plainText,
  type ShownBlock,
  shownIn,
  type Words,
} from '../document/document.ts';
import { escapeHtml } from '../html/template.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { paragraphs, printableLine } from '../model/words.ts';

/** The document as GitHub-flavoured Markdown, made for the summary of a CI job. */
export function renderMarkdown({ outcome, sign, verdict, scope, facts, blocks }: Document): string {
  const parts = [
    `# ${sign ?? OUTCOME_SIGN[outcome]} stockcheck: ${verdict}`,
    `**${markdownText(scope)}**`,
    factsText(facts),
    blocksText(blocks, 2),
  ];
  return `${paragraphs(parts)}\n`;
}

/** @param depth of the headings in it */
function blocksText(blocks: readonly DocumentBlock[], depth: number): string {
  return paragraphs(shownIn('markdown', blocks).map((block) => blockText(block, depth)));
}

function blockText(block: ShownBlock, depth: number): string {
  switch (block.kind) {
    case 'line':
      return wordsText(block.words);
    case 'list':
      return bullets(block.items);
    case 'entries':
      return entriesText(block.entries, depth);
    case 'table': {
      const { columns, rows, sums } = block.table;
      return markdownTable(columns, sums === undefined ? rows : [...rows, sums]);
    }
    case 'facts':
      return factsText(block.facts);
    case 'text':
      return block.text === '' ? '' : codeBlock(block.language, block.text);
    case 'section': {
      const { title, about } = block;
      const body = blocksText(block.blocks, depth + 1);
      return about !== undefined
        ? collapsed(`${OUTCOME_SIGN[about.outcome]} ${printableLine(title)}`, body)
        : body === ''
          ? ''
          : `${'#'.repeat(depth)} ${markdownText(title)}\n\n${body}`;
    }
    case 'folded': {
      const body = blocksText(block.blocks, depth);
      return body === '' ? '' : collapsed(plainText(block.summary), body);
    }
    case 'drawing':
      return '';
  }
}

/** Those that say no more than a line are a list. */
function entriesText(entries: readonly Entry[], depth: number): string {
  const all = entries.map(({ outcome, head, blocks }) => {
    const shown = shownIn('markdown', blocks);
    return {
      head: [`${OUTCOME_SIGN[outcome]} `, head],
      shown,
      isLine: shown.length === 0 || (shown.length === 1 && shown[0]?.kind === 'line'),
    };
  });
  return all.every(({ isLine }) => isLine)
    ? all
        .map(
          ({ head, shown }) => `- ${[wordsText(head), blocksText(shown, depth)].filter(Boolean).join(': ')}`,
        )
        .join('\n')
    : paragraphs(
        all.map(
          ({ head, shown }) => `${'#'.repeat(depth)} ${wordsText(head)}\n\n${blocksText(shown, depth)}`,
        ),
      );
}

function wordsText(words: Words): string {
  if (typeof words !== 'object') {
    return markdownText(`${words}`);
  }
  if ('length' in words) {
    return words.map(wordsText).join('');
  }
  if ('outcome' in words) {
    return `${OUTCOME_SIGN[words.outcome]} ${markdownText(words.words)}`;
  }
  if ('name' in words) {
    return `**${wordsText(words.name)}**`;
  }
  return wordsText('code' in words ? words.code : 'muted' in words ? words.muted : words.words);
}

function factsText(facts: readonly (readonly [name: string, value: string])[]): string {
  return bullets(facts.map(([name, value]) => `${name}: ${value}`));
}

/** The text in one line, escaped so that GitHub-flavoured Markdown shows it unchanged, in a table cell too. */
export function markdownText(text: string, limit = 1000): string {
  return escapeHtml(printableLine(text, limit).replace(/[\\`*_[\]#|~$]/g, String.raw`\$&`))
    .replaceAll('@', '@<!-- -->')
    .replaceAll('://', String.raw`\://`)
    .replace(/www(?=\.)/gi, '$&\\');
}

/** A fenced code block around text that is printable already; no run of backticks in it can close the fence. */
export function codeBlock(language: string, text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A table; '' if it has no row. */
function markdownTable(columns: readonly string[], rows: readonly (readonly Words[])[]): string {
  const rule = columns.map(() => '---');
  const texts = [columns.map(wordsText), rule, ...rows.map((row) => row.map(wordsText))];
  return rows.length === 0 ? '' : texts.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function bullets(lines: readonly Words[]): string {
  return lines.map((words) => `- ${wordsText(words)}`).join('\n');
}

/** A part that the reader opens; the summary is Markdown without block structure. */
function collapsed(summary: string, body: string): string {
  return `<details>\n<summary>${escapeHtml(summary)}</summary>\n\n${body}\n\n</details>`;
}
