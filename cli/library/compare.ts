import type { ComparedMeasure } from '../../contract/load-result.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { compareLoads } from '../../load/index.ts';
import { compareReports, trendOf, type NamedReport, type Report, type Trend } from '../../reports/index.ts';

/** How a later report differs from an earlier one. */
export interface ComparedPair {
  readonly comparison: ReturnType<typeof compareReports>;
  /** Of loads: each measure before and after. */
  readonly measures: readonly ComparedMeasure[];
  /** In sentences: which measures cannot be compared. */
  readonly leftOut: readonly string[];
  readonly trend: Trend;
}

/**
 * Compares two reports of one kind.
 * @param tolerance relative change of a measure for the worse that is tolerated
 * @throws {ConfigurationError} if they are not of one kind
 */
export function compareTwo(before: NamedReport, after: NamedReport, tolerance: number): ComparedPair {
  const [earlier, later] = [before.report, after.report];
  if (earlier.kind !== later.kind) {
    throw new ConfigurationError(
      `${before.name} is a report of stockcheck ${earlier.kind}, ${after.name} one of stockcheck ${later.kind}: only reports of the same command can be compared`,
    );
  }
  const comparison = compareReports(earlier, later);
  const { rows: measures, leftOut } =
    earlier.kind === 'load' && later.kind === 'load'
      ? compareLoads(earlier.scenarios, later.scenarios, tolerance)
      : { rows: [], leftOut: [] };
  return { comparison, measures, leftOut, trend: trendOf(comparison, measures, leftOut) };
}

/** How `compare` compares. */
export interface CompareCallOptions {
  /** How much worse a measure of a load may get, as a share; 0.05 by default. */
  readonly tolerance?: number;
}

const DEFAULT_TOLERANCE = 0.05;

/**
 * Compares two reports of the same command, as `stockcheck compare` does.
 * @param before the earlier report
 * @param after the later report
 * @returns what changed; its `trend` is `worse` if something that decides a verdict fails now, `less` if something is no
 * longer judged
 * @throws {ConfigurationError} if the reports are of different commands
 */
export function compare(
  before: Report,
  after: Report,
  { tolerance = DEFAULT_TOLERANCE }: CompareCallOptions = {},
): ComparedPair {
  return compareTwo({ name: 'before', report: before }, { name: 'after', report: after }, tolerance);
}
