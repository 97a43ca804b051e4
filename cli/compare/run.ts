import { renderComparison, type Trend } from '../../reports/index.ts';
import { compareTwo } from '../library/compare/compare-two.ts';
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
export function runCompare({ before: earlier, after: later, tolerance, color }: CompareOptions): number {
  const before = { name: earlier, report: readReportFile(earlier, earlier) };
  const after = { name: later, report: readReportFile(later, later) };
  const { trend, ...compared } = compareTwo(before, after, tolerance);
  process.stdout.write(renderComparison({ before, after, ...compared }, color));
  return EXIT_CODES[trend];
}
