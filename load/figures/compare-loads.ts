import type { ComparedMeasure, LoadMeasurement, LoadScenarioResult } from '../../contract/load-result.ts';
import { failedCount } from './request-counts.ts';
import { compareLogarithms, mean, type LogarithmicSample } from './welch.ts';

/** What a comparison needs of a scenario; one that was run several times may occur several times. */
export type ComparedScenario = Pick<LoadScenarioResult, 'id' | 'parameters' | 'measurements' | 'capacity'>;

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
 * @returns with sentences that say why scenarios were left out
 */
export function compareLoads(
  before: readonly ComparedScenario[],
  after: readonly ComparedScenario[],
  tolerance = USUAL_TOLERANCE,
) {
  const earlier = Map.groupBy(before, ({ id }) => id);
  const later = Map.groupBy(after, ({ id }) => id);
  const rows: ComparedMeasure[] = [];
  const leftOut: string[] = [];
  for (const [id, runs] of later) {
    const earlierRuns = earlier.get(id) ?? [];
    const obstacle = obstacleBetween(earlierRuns, runs);
    if (obstacle !== undefined) {
      leftOut.push(`${id} is not compared: ${obstacle}.`);
      continue;
    }
    const compared = MEASURES.map((measure) => rowOf(id, measure, [earlierRuns, runs], tolerance));
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
  measure: Measure,
  [earlierRuns, runs]: readonly [readonly ComparedScenario[], readonly ComparedScenario[]],
  tolerance: number,
): ComparedMeasure | undefined {
  const sampleFrom = (side: readonly ComparedScenario[]): MeasureSample =>
    measure.sampleOf(
      side.flatMap(({ measurements }) => measurements.filter(isValid)),
      side,
    );
  const before = sampleFrom(earlierRuns);
  const after = sampleFrom(runs);
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
  { change, lower, upper }: Pick<ComparedMeasure, 'change' | 'lower' | 'upper'>,
  { isMoreBetter }: Measure,
  tolerance: number,
): ComparedMeasure['judgement'] {
  if (lower > 0 && change >= tolerance) {
    return isMoreBetter ? 'better' : 'worse';
  }
  if (upper < 0 && change <= -tolerance) {
    return isMoreBetter ? 'worse' : 'better';
  }
  return 'same';
}

/** What is compared with an earlier report. */
interface Measure {
  readonly name: string;
  readonly unit: '/s' | 'ms' | '%';
  readonly isMoreBetter: boolean;
  /** The sample of the valid rounds of all runs of a scenario. */
  readonly sampleOf: (rounds: readonly LoadMeasurement[], runs: readonly ComparedScenario[]) => MeasureSample;
}

const MEASURES: readonly Measure[] = [
  { name: 'goodput', unit: '/s', isMoreBetter: true, sampleOf: goodputs },
  ...(['p50', 'p99', 'mean'] as const).map((name): Measure => ({
    name,
    unit: 'ms',
    isMoreBetter: false,
    sampleOf: (rounds) => sampleOf(rounds.map(({ responseTime }) => responseTime[name])),
  })),
  { name: 'errors', unit: '%', isMoreBetter: false, sampleOf: errors },
  {
    name: 'capacity',
    unit: '/s',
    isMoreBetter: true,
    sampleOf: (_rounds, runs) =>
      sampleOf(
        runs.filter(({ measurements }) => measurements.every(isValid)).map(({ capacity }) => capacity),
      ),
  },
];

interface MeasureSample extends LogarithmicSample {
  /** In the unit of the measure, over all rounds: the geometric mean, or of counts, which may be 0, the arithmetic mean. */
  readonly typical: number;
}

// A logarithm needs more than 0; times are recorded in whole microseconds.
const HALF_A_MICROSECOND = 0.0005;

function isValid({ invalid }: LoadMeasurement): boolean {
  return invalid.length === 0;
}

function sampleOf(values: readonly (number | null)[]): MeasureSample {
  const logarithms = values
    .filter((value) => value !== null)
    .map((value) => Math.log(Math.max(value, HALF_A_MICROSECOND)));
  return { logarithms, leastVariance: 0, typical: Math.exp(mean(logarithms)) };
}

/** A round without a successful response counts as half a response. */
function goodputs(all: readonly LoadMeasurement[]): MeasureSample {
  const rounds = all.filter(({ durationSeconds }) => durationSeconds > 0);
  return {
    logarithms: rounds.map(({ goodput, durationSeconds }) =>
      Math.log(Math.max(goodput, 0.5 / durationSeconds)),
    ),
    leastVariance: 0,
    typical: mean(rounds.map(({ goodput }) => goodput)),
  };
}

/**
 * Half an error more in each round makes a ratio of what may be 0. Even rounds that had the same few errors
 * could have had others: the logarithm of a count varies by about one over the count.
 */
function errors(all: readonly LoadMeasurement[]): MeasureSample {
  const rounds = all.filter(({ scheduled }) => scheduled > 0);
  const failed = rounds.map((round) => failedCount(round) + 0.5);
  const scheduled = rounds.map((round) => round.scheduled);
  return {
    logarithms: failed.map((count, index) => Math.log(count / ((scheduled[index] ?? 0) + 1))),
    leastVariance: mean(failed.map((count) => 1 / count)),
    typical:
      rounds.length === 0 ? 0 : (100 * mean(rounds.map((round) => failedCount(round)))) / mean(scheduled),
  };
}
