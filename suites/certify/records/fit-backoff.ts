import { medianOf } from '../../../contract/quantile.ts';
import type { ScenarioRecord } from './record.ts';
import { type LimitedWait, waitsAfterLimits } from './traffic-reading.ts';

/** What consecutive waits look like. */
export interface BackoffFit {
  /** By how much each wait exceeds the one before, as the geometric trend; `null` if there are too few. */
  readonly factor: number | null;
  /** Root mean square of the relative deviations from that trend; 0 without jitter. */
  readonly jitter: number | null;
  readonly verdict: 'growing' | 'varying' | 'constant' | 'too few';
}

/** Fewer waits than that prove nothing. */
const FEWEST_WAITS = 3;
const CONSTANT_SHARE = 0.05;
const CONSTANT_SECONDS = 0.05;
const GROWTH = 1.1;
/** Stands for no wait at all when a logarithm is taken; seconds. */
const SHORTEST_WAIT = 0.001;

/**
 * Tells whether waits grow, vary as jitter makes them, or stay the same.
 * Full jitter may make almost anything, so only waits that are constant within 5 % or 50 ms are called so; every
 * fifth may be longer, since a busy machine delays one now and then, but not the last one, with which growth begins.
 * None may be shorter: no machine makes a client come back sooner than it meant to.
 * @param waits seconds from an answer 429 to the next request, all for the same Retry-After
 */
export function fitBackoff(waits: readonly number[]): BackoffFit {
  if (waits.length < FEWEST_WAITS) {
    return { factor: null, jitter: null, verdict: 'too few' };
  }
  const trend = fitTrend(waits.map((wait) => Math.log(Math.max(wait, SHORTEST_WAIT))));
  const deviations = waits.map(
    (wait, index) => Math.max(wait, SHORTEST_WAIT) / Math.exp(trend.start + trend.slope * index) - 1,
  );
  const factor = Math.exp(trend.slope);
  const jitter = Math.sqrt(mean(deviations.map((deviation) => deviation ** 2)));
  if (isConstant(waits)) {
    return { factor, jitter, verdict: 'constant' };
  }
  return { factor, jitter, verdict: factor >= GROWTH ? 'growing' : 'varying' };
}

/** The longest run of waits between consecutive 429s that named the same delta-seconds. */
export function limitedWaits(record: ScenarioRecord): readonly number[] {
  let longest: readonly number[] = [];
  let run: readonly number[] = [];
  let before: LimitedWait | undefined;
  for (const wait of waitsAfterLimits(record)) {
    const goesOn = before?.request === wait.limited && before.asked === wait.asked;
    run = [...(goesOn ? run : []), Math.max(0, wait.asked + wait.after)];
    longest = run.length > longest.length ? run : longest;
    before = wait;
  }
  return longest;
}

function isConstant(waits: readonly number[]): boolean {
  const middle = medianOf(waits);
  const last = waits.at(-1) ?? middle;
  const mayStickOut = waits.length > FEWEST_WAITS ? Math.max(1, Math.floor(waits.length / 5)) : 0;
  const shortest = waits
    .slice(0, -1)
    .toSorted((one, other) => one - other)
    .slice(0, waits.length - 1 - mayStickOut);
  const kept = [...shortest, last];
  const spread = Math.max(...kept) - Math.min(...kept);
  return spread <= Math.max(CONSTANT_SECONDS, CONSTANT_SHARE * middle);
}

/** Least squares over 0, 1, 2 … */
function fitTrend(values: readonly number[]): { readonly start: number; readonly slope: number } {
  const centre = (values.length - 1) / 2;
  const average = mean(values);
  const covariance = mean(values.map((value, index) => (index - centre) * (value - average)));
  const variance = mean(values.map((_value, index) => (index - centre) ** 2));
  const slope = covariance / variance;
  return { start: average - slope * centre, slope };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
