import type { LoadParameters } from '../../contract/load-parameters.ts';
import type { Random } from '../../contract/seeded-random.ts';

/** Rate over time: the rate runs in a straight line from `from` to `to` over each stage; requests a second. */
export interface RateStage {
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** How requests follow each other: evenly, or at random as those of many independent users. */
export type ArrivalProcess = LoadParameters['arrivals'];

export const totalSeconds = (stages: readonly RateStage[]): number =>
  stages.reduce((sum, { seconds }) => sum + seconds, 0);

/** Requests that are expected in all. */
export const expectedRequests = (stages: readonly RateStage[]): number =>
  stages.reduce((sum, { from, to, seconds }) => sum + ((from + to) / 2) * seconds, 0);

/** The highest rate of all stages, in requests a second. */
export function peakRateOf(stages: readonly RateStage[]): number {
  return Math.max(...stages.flatMap(({ from, to }) => [from, to]));
}

/**
 * The moments at which requests are due, in milliseconds from the start, each later than the one before. Evenly:
 * the n-th is due when the rate, summed up over time, has reached n + 1/2. At random: the sum grows by exponentially
 * distributed steps, a Poisson process whose rate changes over time.
 */
export function* arrivals(
  stages: readonly RateStage[],
  process: ArrivalProcess,
  random: Random,
): Generator<number, void, undefined> {
  let sum = process === 'constant' ? 0.5 : -Math.log(1 - random());
  let begins = 0;
  let passed = 0;
  for (const stage of stages) {
    const { from, to, seconds } = stage;
    const whole = ((from + to) / 2) * seconds;
    while (sum < passed + whole) {
      yield (begins + secondsUntil(stage, sum - passed)) * 1000;
      sum += process === 'constant' ? 1 : -Math.log(1 - random());
    }
    begins += seconds;
    passed += whole;
  }
}

/** Seconds into the stage until that many requests are due: when `from t + (to - from) t² / 2s` reaches it. */
function secondsUntil({ from, to, seconds }: RateStage, requests: number): number {
  const slope = (to - from) / seconds;
  return slope === 0
    ? requests / from
    : (2 * requests) / (from + Math.sqrt(Math.max(0, from * from + 2 * slope * requests)));
}
