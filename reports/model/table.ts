import type { Outcome } from '../../contract/verdict.ts';

/** What stands in a table: words, a number, what somebody named, or an outcome in words with its sign. */
export type Cell =
  | string
  | number
  | { readonly code: string }
  | { readonly outcome: Outcome; readonly words: string };

/** A table as every format shows it. Its first column names the row; each format makes its cells safe to show. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** The last row, which adds up the others. */
  readonly sums?: readonly Cell[];
}

/** The cells of each row in words. */
export function tableTexts({ columns, rows, sums }: Table): readonly (readonly string[])[] {
  return [columns, ...rows, ...(sums === undefined ? [] : [sums])].map((row) => row.map(cellText));
}

/** What a cell says where nothing marks it. */
export function cellText(cell: Cell): string {
  return typeof cell !== 'object' ? `${cell}` : 'code' in cell ? cell.code : cell.words;
}

/** Rows of cells as wide as the widest of their columns; columns of numbers are aligned right. */
export function alignedRows(table: Table): readonly (readonly string[])[] {
  const texts = tableTexts(table);
  return texts.map((row) =>
    row.map((text, column) => {
      const width = Math.max(...texts.map((other) => other[column]?.length ?? 0));
      return typeof table.rows[0]?.[column] === 'number' ? text.padStart(width) : text.padEnd(width);
    }),
  );
}
