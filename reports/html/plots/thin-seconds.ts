import type { LoadSecond } from '../../../contract/load-result.ts';

/** Neighbouring seconds as one: counts a second on average, times of the worst of them. */
export type LoadStep = ReturnType<typeof merged>;

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
