import { compareWithBaseline } from '../../load/index.ts';
import { compareReports, trendOf, type Trend, type Report, renderComparison } from '../../reports/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readReportFile } from '../shared/files/report-file.ts';

export interface CompareOptions {
  /** Paths of the earlier and the later report. */
  readonly before: string;
  readonly after: string;
  /** Relative change of a measure for the worse that is tolerated. */
  readonly tolerance: number;
  readonly color: boolean;
}

const EXIT_CODES = { worse: 1, less: 3, 'not worse': 0 } as const satisfies Record<Trend, number>;

/**
 * Prints how a later report differs from an earlier one, and returns the exit code: 1 if something got worse, 3 if
 * something is no longer judged.
 * @throws {ConfigurationError} if one cannot be read, or they are not of one kind
 */
export function runCompare({ before, after, tolerance, color }: CompareOptions): number {
  const [earlier, later] = [readReportFile(before, before), readReportFile(after, after)];
  if (earlier.kind !== later.kind) {
    throw new ConfigurationError(
      `${before} is a report of stockcheck ${earlier.kind}, ${after} one of stockcheck ${later.kind}: only reports of the same command can be compared`,
    );
  }
  const comparison = compareReports(earlier, later);
  const { rows, leftOut } = compareMeasures(earlier, later, tolerance);
  const compared = {
    before: { name: before, report: earlier },
    after: { name: after, report: later },
    comparison,
    measures: rows,
    leftOut,
  };
  process.stdout.write(renderComparison(compared, color));
  return EXIT_CODES[trendOf(comparison, rows)];
}

function compareMeasures(before: Report, after: Report, tolerance: number) {
  return before.kind === 'load' && after.kind === 'load'
    ? compareWithBaseline(before.scenarios, after.scenarios, tolerance)
    : { rows: [], leftOut: [] };
}
