import {
  exploredText,
  isWrong,
  type KillMatrix,
  OUTCOME_WORDS,
  SOURCE_COLUMNS,
  sourceRows,
  summarize,
  trialName,
  type TrialResult,
} from '../model/kill-matrix.ts';
import { printableLine } from '../model/words.ts';

/** Faults caught by area and false alarms, for a job summary; what went wrong is listed below. */
export function renderKillMatrixMarkdown(matrix: KillMatrix): string {
  const wrong = matrix.trials.filter(isWrong);
  return [
    killMatrixTable(matrix.trials),
    ...sourcesText(matrix),
    ...(wrong.length === 0
      ? []
      : [
          '',
          ...wrong.map(
            (trial) => `- \`${printableLine(trialName(trial))}\`: ${OUTCOME_WORDS[trial.outcome]}`,
          ),
        ]),
    '',
  ].join('\n');
}

/** A table in Markdown, one row for each area. */
export function killMatrixTable(trials: readonly TrialResult[]): string {
  const { byArea, total, conformant, falseAlarms } = summarize(trials);
  return [
    ...alignedTable([
      ['Area', 'Faults', 'Caught'],
      ...byArea.map(([area, { faults, caught }]) => [area, faults, caught]),
      ['**all**', total.faults, total.caught],
    ]),
    '',
    `False alarms: ${falseAlarms} on ${conformant} conformant servers.`,
  ].join('\n');
}

/** What each source caught, if there are several, and how the servers were explored. */
function sourcesText(matrix: KillMatrix): readonly string[] {
  const explored = exploredText(matrix);
  return [
    ...(matrix.by.length === 1 ? [] : ['', ...alignedTable([SOURCE_COLUMNS, ...sourceRows(matrix)])]),
    ...(explored === null ? [] : ['', `${explored}.`]),
  ];
}

/** The lines of a table with its heads first, numbers aligned right. */
function alignedTable(cells: readonly (readonly (string | number)[])[]): readonly string[] {
  const rows = cells.map((row) => row.map(String));
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)];
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
