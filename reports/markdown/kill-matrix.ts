import {
  exploredText,
  isWrong,
  OUTCOME_WORDS,
  sourceTable,
  summarize,
  trialName,
  type KillMatrix,
  type TrialResult,
} from '../model/kill-matrix.ts';
import { alignedRows, type Table } from '../model/table.ts';
import { paragraphs, printableLine } from '../model/words.ts';

/** Faults caught by area and false alarms, for a job summary; what went wrong is listed below. */
export function renderKillMatrixMarkdown(matrix: KillMatrix): string {
  const wrong = matrix.trials
    .filter(isWrong)
    .map((trial) => `- \`${printableLine(trialName(trial))}\`: ${OUTCOME_WORDS[trial.outcome]}`);
  const explored = exploredText(matrix);
  const parts = [
    killMatrixTable(matrix.trials),
    ...(matrix.by.length === 1 ? [] : [alignedTable(sourceTable(matrix))]),
    ...(explored === null ? [] : [`${explored}.`]),
    ...(wrong.length === 0 ? [] : [wrong.join('\n')]),
  ];
  return `${paragraphs(parts)}\n`;
}

/** A table in Markdown, one row for each area. */
export function killMatrixTable(trials: readonly TrialResult[]): string {
  const { byArea, total, conformant, falseAlarms } = summarize(trials);
  const table = alignedTable({
    caption: 'Faults by area',
    columns: ['Area', 'Faults', 'Caught'],
    rows: [
      ...byArea.map(([area, { faults, caught }]) => [area, faults, caught]),
      ['**all**', total.faults, total.caught],
    ],
  });
  return conformant === 0
    ? table
    : `${table}\n\nFalse alarms: ${falseAlarms} on ${conformant} conformant servers.`;
}

/** A table that is easy to read as text, too; its cells are Markdown already. */
function alignedTable(table: Table): string {
  const [head = [], ...body] = alignedRows(table);
  const rule = head.map(({ length }, column) =>
    column === 0 ? '-'.repeat(length) : `${'-'.repeat(length - 1)}:`,
  );
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
