import type { BaselineRow } from '../../../contract/load-result.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { compareWithBaseline } from '../../../load/index.ts';
import { compareReports, trendOf, type NamedReport, type Trend } from '../../../reports/index.ts';

/** How a later report differs from an earlier one. */
export interface ComparedPair {
  readonly comparison: ReturnType<typeof compareReports>;
  /** Of loads: each measure before and after. */
  readonly measures: readonly BaselineRow[];
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
      ? compareWithBaseline(earlier.scenarios, later.scenarios, tolerance)
      : { rows: [], leftOut: [] };
  return { comparison, measures, leftOut, trend: trendOf(comparison, measures) };
}
