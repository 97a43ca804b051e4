import type { LoadMeasurement, LoadSecond } from '../../../contract/load-result.ts';

/** Neighbouring seconds as one: counts a second on average, times of the worst of them. */
export type LoadStep = ReturnType<typeof merged>;

/** What a second may lack and still look whole in a chart. */
const NEARLY_WHOLE = 0.05;

/**
 * The seconds that the load lasted from beginning to end. Half a second would look like a load that broke down; of
 * one that was shorter than a second all is kept.
 */
export function wholeSeconds({
  seconds,
  durationSeconds,
}: Pick<LoadMeasurement, 'seconds' | 'durationSeconds'>): readonly LoadSecond[] {
  const whole = seconds.filter(({ second }) => second + 1 <= durationSeconds + NEARLY_WHOLE);
  return whole.length === 0 ? seconds : whole;
}

/** The seconds in at most `limit` steps of equal length; the last may be shorter. */
export function thinSeconds(seconds: readonly LoadSecond[], limit: number): readonly LoadStep[] {
  const length = Math.max(1, Math.ceil(seconds.length / limit));
  return Array.from({ length: Math.ceil(seconds.length / length) }, (_, index) =>
    merged(seconds.slice(index * length, (index + 1) * length)),
  );
}

function merged(seconds: readonly LoadSecond[]) {
  const mean = (of: (second: LoadSecond) => number): number =>
    seconds.reduce((sum, second) => sum + of(second), 0) / seconds.length;
  const names = new Set(seconds.flatMap(({ statuses }) => Object.keys(statuses)));
  return {
    second: seconds[0]?.second ?? 0,
    /** How many seconds it covers. */
    length: seconds.length,
    scheduled: mean(({ scheduled }) => scheduled),
    answered: mean(({ answered }) => answered),
    lost: mean(({ lost }) => lost),
    statuses: Object.fromEntries(
      [...names].map((name) => [name, mean(({ statuses }) => statuses[name] ?? 0)]),
    ),
    p50: worst(seconds.map(({ p50 }) => p50)),
    p99: worst(seconds.map(({ p99 }) => p99)),
    max: worst(seconds.map(({ max }) => max)),
  };
}

function worst(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}
