import type { BaselineRow, LoadScenarioResult } from '../../contract/load-result.ts';
import { BASELINE_MEASURES, samplesOf, type BaselineMeasure } from './baseline-measures.ts';
import { compareLogarithms } from './welch.ts';

/** What a comparison needs of a scenario; one that was run several times may occur several times. */
export type ComparedScenario = Pick<LoadScenarioResult, 'id' | 'parameters' | 'measurements' | 'capacity'>;

export interface BaselineResult {
  readonly rows: readonly BaselineRow[];
  /** Why scenarios could not be compared; in sentences. */
  readonly leftOut: readonly string[];
}

// Of a variance from two values, hardly anything is known.
const LEAST_ROUNDS = 3;
const USUAL_TOLERANCE = 0.05;
const NO_CHANGE = { change: 0, lower: 0, upper: 0 };

/**
 * Compares scenarios with those of an earlier report, in the order of the later one. Invalid measurements
 * are left out, and so is a scenario that was run with other parameters (the number of rounds may differ).
 *
 * A measure is `worse` if its whole 95 % confidence interval lies on the bad side of no change, and the
 * change itself is at least the tolerance; `better` likewise. Anything else is `same`, which says only that
 * no difference was shown. With fewer than three rounds on a side nothing is judged; the bounds are then the
 * change itself.
 * @param tolerance as a share, 0.05 by default
 */
export function compareWithBaseline(
  before: readonly ComparedScenario[],
  after: readonly ComparedScenario[],
  tolerance = USUAL_TOLERANCE,
): BaselineResult {
  const earlier = Map.groupBy(before, ({ id }) => id);
  const later = Map.groupBy(after, ({ id }) => id);
  const rows: BaselineRow[] = [];
  const leftOut: string[] = [];
  for (const [id, runs] of later) {
    const earlierRuns = earlier.get(id) ?? [];
    const obstacle = obstacleBetween(earlierRuns, runs);
    if (obstacle !== undefined) {
      leftOut.push(`${id} is not compared: ${obstacle}.`);
      continue;
    }
    const compared = BASELINE_MEASURES.map((measure) => rowOf(id, measure, [earlierRuns, runs], tolerance));
    const known = compared.filter((row) => row !== undefined);
    rows.push(...known);
    if (known.length === 0) {
      leftOut.push(`${id} is not compared: there is no valid measurement of it in both reports.`);
    }
  }
  for (const id of earlier.keys()) {
    if (!later.has(id)) {
      leftOut.push(`${id} is not compared: it was not run this time.`);
    }
  }
  return { rows, leftOut };
}

function obstacleBetween(
  before: readonly ComparedScenario[],
  after: readonly ComparedScenario[],
): string | undefined {
  const [first, ...others] = [...before, ...after].map(({ parameters }) => parameters);
  if (before.length === 0 || first === undefined) {
    return 'the earlier report does not have it';
  }
  for (const other of others) {
    const names = new Set([...Object.keys(first), ...Object.keys(other)]);
    names.delete('rounds');
    for (const name of names) {
      if (first[name] !== other[name]) {
        return `${name} was ${first[name] ?? 'not set'} and is ${other[name] ?? 'not set'} now`;
      }
    }
  }
  return undefined;
}

function rowOf(
  scenario: string,
  measure: BaselineMeasure,
  [earlierRuns, runs]: readonly [readonly ComparedScenario[], readonly ComparedScenario[]],
  tolerance: number,
): BaselineRow | undefined {
  const before = samplesOf(measure, earlierRuns);
  const after = samplesOf(measure, runs);
  if (before.logarithms.length === 0 || after.logarithms.length === 0) {
    return undefined;
  }
  const isNothing = before.typical === 0 && after.typical === 0;
  const interval = isNothing ? NO_CHANGE : compareLogarithms(before, after);
  const row = {
    scenario,
    measure: measure.name,
    unit: measure.unit,
    before: before.typical,
    after: after.typical,
    change: Math.expm1(interval.change),
    lower: Math.expm1(interval.lower),
    upper: Math.expm1(interval.upper),
  };
  const rounds = Math.min(before.logarithms.length, after.logarithms.length);
  return rounds < LEAST_ROUNDS
    ? { ...row, lower: row.change, upper: row.change, judgement: 'too few rounds' }
    : { ...row, judgement: judgementOf(row, measure, tolerance) };
}

function judgementOf(
  { change, lower, upper }: Pick<BaselineRow, 'change' | 'lower' | 'upper'>,
  { isMoreBetter }: BaselineMeasure,
  tolerance: number,
): BaselineRow['judgement'] {
  if (lower > 0 && change >= tolerance) {
    return isMoreBetter ? 'better' : 'worse';
  }
  if (upper < 0 && change <= -tolerance) {
    return isMoreBetter ? 'worse' : 'better';
  }
  return 'same';
}
