import { alignedRows } from '../document/document.ts';
import { summarize, type TrialResult } from '../model/kill-matrix.ts';

/** The faults by area as a page of the documentation shows them: a table that is easy to read as text, too. */
export function killMatrixTable(trials: readonly TrialResult[]): string {
  const { byArea, total, conformant, falseAlarms } = summarize(trials);
  const [head = [], ...body] = alignedRows({
    caption: 'Faults by area',
    columns: ['Area', 'Faults', 'Caught'],
    rows: byArea.map(([area, { faults, caught }]) => [area, faults, caught]),
    sums: ['**all**', total.faults, total.caught],
  });
  const rule = head.map(({ length }, column) =>
    column === 0 ? '-'.repeat(length) : `${'-'.repeat(length - 1)}:`,
  );
  const table = [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return conformant === 0
    ? table
    : `${table}\n\nFalse alarms: ${falseAlarms} on ${conformant} conformant servers.`;
}
