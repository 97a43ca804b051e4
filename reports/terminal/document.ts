import { styleText } from 'node:util';
import type { Outcome } from '../../contract/verdict.ts';
import {
  type DocumentBlock,
  type Document,
  type Entry,
  plainText,
  type ShownBlock,
  shownIn,
  type Table,
  type Words,
} from '../document/document.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { paragraphs, printableLine } from '../model/words.ts';

type Format = Parameters<typeof styleText>[0];

/** Colours a text, or returns it unchanged if no colour is wanted. */
export type Style = (format: Format, text: string) => string;

const OUTCOME_COLOUR = {
  pass: 'green',
  fail: 'red',
  inconclusive: 'yellow',
  skipped: 'gray',
  observed: 'blue',
} as const satisfies Record<Outcome, Format>;

export function styleFor(color: boolean): Style {
  return (format, text) => (color && text !== '' ? styleText(format, text, { validateStream: false }) : text);
}

/** The sign of the outcome in its colour. */
function signOf(outcome: Outcome, style: Style): string {
  return style(OUTCOME_COLOUR[outcome], OUTCOME_SIGN[outcome]);
}

/** The document for a terminal; it ends in a line feed and has no control character of what it tells of. */
export function renderTerminal({ outcome, sign, scope, blocks, isLong }: Document, color: boolean): string {
  const style = styleFor(color);
  const head = style(
    ['bold', OUTCOME_COLOUR[outcome]],
    `${sign ?? OUTCOME_SIGN[outcome]} ${printableLine(scope)}`,
  );
  return `${paragraphs([head, blocksText(blocks, style), ...(isLong === true ? [head] : [])])}\n`;
}

/** Each of the blocks that a terminal shows apart from the next. */
export function blocksText(blocks: readonly DocumentBlock[], style = styleFor(false)): string {
  return paragraphs(shownIn('terminal', blocks).map((block) => blockLines(block, style).join('\n')));
}

function linesOf(blocks: readonly DocumentBlock[], style: Style): readonly string[] {
  return shownIn('terminal', blocks).flatMap((block) => blockLines(block, style));
}

function blockLines(block: ShownBlock, style: Style): readonly string[] {
  switch (block.kind) {
    case 'line':
      return block.words === '' ? [] : [wordsText(block.words, style)];
    case 'list': {
      const mark = block.look.includes('notice') ? '! ' : '';
      return block.items.map((words) => `${mark}${wordsText(words, style)}`);
    }
    case 'entries':
      return block.entries.flatMap((entry) => entryLines(entry, style));
    case 'table': {
      const rows = block.table.rows.length === 0 ? [] : alignedRows(block.table);
      const texts = rows.map((cells) => cells.join('  ').trimEnd());
      return texts.map((text, index) => (index === 0 ? style('bold', text) : text));
    }
    case 'facts': {
      const width = Math.max(...block.facts.map(([name]) => name.length));
      return block.facts.map(
        ([name, value]) => `${style('bold', printableLine(name.padEnd(width)))}  ${printableLine(value)}`,
      );
    }
    case 'text': {
      const lines = block.text === '' ? [] : block.text.split('\n');
      return block.language === 'sh'
        ? lines.map((text) => style('cyan', text))
        : lines.map((text) => `  ${style('dim', text)}`);
    }
    case 'section': {
      const { title, about } = block;
      const sign = about === undefined ? '' : `${signOf(about.outcome, style)} `;
      return under(
        `${sign}${style('bold', printableLine(title))}`,
        linesOf(block.blocks, style),
        sign !== '',
      );
    }
    case 'folded':
      return under(`${wordsText(block.summary, style)}:`, linesOf(block.blocks, style));
    case 'drawing':
      return [];
  }
}

/** Lines below what they are about; nothing if there are none, unless it says something by itself. */
function under(title: string, lines: readonly string[], isAlone = false): readonly string[] {
  return lines.length === 0 && !isAlone ? [] : [title, ...lines.map((text) => `  ${text}`)];
}

/** What can be said in a line stands beside what it is about. */
function entryLines({ outcome, head, blocks }: Entry, style: Style): readonly string[] {
  const title = `${signOf(outcome, style)} ${wordsText(head, style)}`;
  const shown = shownIn('terminal', blocks);
  const lines = linesOf(shown, style);
  return shown.length === 1 && shown[0]?.kind === 'line'
    ? [[title, ...lines].join(': ')]
    : under(title, lines, true);
}

/** Rows of cells as wide as the widest of their columns; columns of numbers are aligned right. */
function alignedRows({ columns, rows, sums }: Table): readonly (readonly string[])[] {
  const texts = [columns, ...rows, ...(sums === undefined ? [] : [sums])].map((row) => row.map(plainText));
  return texts.map((row) =>
    row.map((cell, column) => {
      const width = Math.max(...texts.map((other) => other[column]?.length ?? 0));
      return typeof rows[0]?.[column] === 'number' ? cell.padStart(width) : cell.padEnd(width);
    }),
  );
}

function wordsText(words: Words, style: Style): string {
  if (typeof words !== 'object') {
    return plainText(words);
  }
  if ('length' in words) {
    return words.map((word) => wordsText(word, style)).join('');
  }
  if ('outcome' in words) {
    return `${signOf(words.outcome, style)} ${printableLine(words.words)}`;
  }
  if ('name' in words) {
    return style('bold', wordsText(words.name, style));
  }
  return 'muted' in words
    ? style('dim', wordsText(words.muted, style))
    : wordsText('code' in words ? words.code : words.words, style);
}
