import type { LoadMeasurement, LoadScenarioResult } from '../../contract/load-result.ts';
import { failedCount } from './request-counts.ts';
import { mean, type LogarithmicSample } from './welch.ts';

/** What is compared with an earlier report. */
export interface BaselineMeasure {
  readonly name: 'goodput' | 'p50' | 'p99' | 'mean' | 'errors' | 'capacity';
  readonly unit: '/s' | 'ms' | '%';
  readonly isMoreBetter: boolean;
}

export const BASELINE_MEASURES: readonly BaselineMeasure[] = [
  { name: 'goodput', unit: '/s', isMoreBetter: true },
  { name: 'p50', unit: 'ms', isMoreBetter: false },
  { name: 'p99', unit: 'ms', isMoreBetter: false },
  { name: 'mean', unit: 'ms', isMoreBetter: false },
  { name: 'errors', unit: '%', isMoreBetter: false },
  { name: 'capacity', unit: '/s', isMoreBetter: true },
];

export interface BaselineSample extends LogarithmicSample {
  /** In the unit of the measure, over all rounds: the geometric mean, or of counts, which may be 0, the arithmetic mean. */
  readonly typical: number;
}

type Measured = Pick<LoadScenarioResult, 'measurements' | 'capacity'>;

// A logarithm needs more than 0; times are recorded in whole microseconds.
const HALF_A_MICROSECOND = 0.0005;

/** The sample of a measure over the valid rounds of all runs of a scenario. */
export function samplesOf(measure: BaselineMeasure, runs: readonly Measured[]): BaselineSample {
  const rounds = runs.flatMap(({ measurements }) => measurements.filter(isValid));
  switch (measure.name) {
    case 'goodput':
      return goodputs(rounds.filter(({ durationSeconds }) => durationSeconds > 0));
    case 'errors':
      return errors(rounds.filter(({ scheduled }) => scheduled > 0));
    case 'capacity':
      return sampleOf(
        runs.filter(({ measurements }) => measurements.every(isValid)).map(({ capacity }) => capacity),
      );
    case 'p50':
      return sampleOf(rounds.map(({ responseTime }) => responseTime.p50));
    case 'p99':
      return sampleOf(rounds.map(({ responseTime }) => responseTime.p99));
    case 'mean':
      return sampleOf(rounds.map(({ responseTime }) => responseTime.mean));
  }
}

function isValid({ invalid }: LoadMeasurement): boolean {
  return invalid.length === 0;
}

function sampleOf(values: readonly (number | null)[]): BaselineSample {
  const logarithms = values
    .filter((value) => value !== null)
    .map((value) => Math.log(Math.max(value, HALF_A_MICROSECOND)));
  return { logarithms, leastVariance: 0, typical: Math.exp(mean(logarithms)) };
}

/** A round without a successful response counts as half a response. */
function goodputs(rounds: readonly LoadMeasurement[]): BaselineSample {
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
function errors(rounds: readonly LoadMeasurement[]): BaselineSample {
  const failed = rounds.map((round) => failedCount(round) + 0.5);
  const scheduled = rounds.map((round) => round.scheduled);
  return {
    logarithms: failed.map((count, index) => Math.log(count / ((scheduled[index] ?? 0) + 1))),
    leastVariance: mean(failed.map((count) => 1 / count)),
    typical:
      rounds.length === 0 ? 0 : (100 * mean(rounds.map((round) => failedCount(round)))) / mean(scheduled),
  };
}
