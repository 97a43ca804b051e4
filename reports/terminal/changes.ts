import { attention } from '../model/attention.ts';
import { compareReports, type Turn } from '../model/compare-reports.ts';
import type { ReportedRequirement, VerifyReport } from '../model/report.ts';
import { printableLine } from '../wording/printable.ts';
import { briefLine, failureLines, reportLines, verdictLine, type TerminalOptions } from './render-verdict.ts';
import { signOf, styleFor } from './style.ts';

const COUNTED: readonly (readonly [turn: Turn, what: string])[] = [
  ['fixed', 'fixed'],
  ['broken', 'new'],
  ['lost', 'no longer judged'],
  ['gained', 'judged again'],
];

/** What a run shows that goes on after another one: its verdict, and what is not as it was. */
export function renderChanges(
  before: VerifyReport,
  after: VerifyReport,
  { color, reportPaths }: TerminalOptions,
): string {
  const style = styleFor(color);
  const { requirements, failing } = compareReports(before, after);
  const rowsOf = (turn: Turn): readonly ReportedRequirement[] =>
    requirements.filter((change) => change.turn === turn && isUnexpected(change.row)).map(({ row }) => row);
  const counts = [
    ...COUNTED.map(([turn, what]) => [rowsOf(turn).length, what] as const),
    [failing.filter(isUnexpected).length, 'as before'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`);
  const isSame = requirements.length === 0;
  const summary = [...(isSame ? ['nothing changed'] : []), ...counts].join(', ');
  const broken = new Set(rowsOf('broken').map(({ id }) => id));
  const { failures, advice } = attention(after);
  const isNew = ({ id }: ReportedRequirement): boolean => broken.has(id);
  const inOrder = [...failures, ...advice].flatMap(({ root, followers }) => [root].concat(followers));
  const lines = [
    ...rowsOf('fixed').map(({ id, level }) => `  ${signOf('pass', style)} ${printableLine(id)} (${level})`),
    ...inOrder
      .filter(isNew)
      .flatMap((row) => (row.level === 'must' ? failureLines(row, 1, style) : [briefLine(row, style)])),
    ...rowsOf('lost').map((row) => briefLine(row, style)),
  ];
  return `${[verdictLine(after, style), `  ${style('bold', summary)}`, ...lines, ...reportLines(reportPaths)].join('\n')}\n`;
}

function isUnexpected({ expectedFailure }: ReportedRequirement): boolean {
  return expectedFailure !== true;
}
