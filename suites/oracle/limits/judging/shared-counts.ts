import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { openTimeline, type Timeline } from '../timeline.ts';

type CountedKey = Pick<KeyLimits, 'plan' | 'limits'>;

const LENGTHS = { minute: MINUTE_SECONDS * 1000, day: DAY_SECONDS * 1000 };
const WINDOWS = ['minute', 'day'] as const;

/** Follows whether the requests of several keys, of one plan, of one plan and the same limits, or all, may count as if they were those of one. */
export function followSharedCounts() {
  const counts = new Map<string, Timeline | 'not shared'>();
  const scopesOf = (key: CountedKey, window: 'minute' | 'day') =>
    [`${window} of all`, `${window} of ${key.plan}`, `${window} of ${key.plan}, ${limitOf(key, window)}`].map(
      (name) => {
        const count = counts.get(name) ?? openTimeline(2 * LENGTHS[window]);
        counts.set(name, count);
        return { name, count };
      },
    );
  return {
    /** Takes what a key had used of its day when it became known. */
    used: (key: CountedKey, requests: number, at: number): void => {
      for (const { count } of requests === 0 ? [] : scopesOf(key, 'day')) {
        if (count !== 'not shared') {
          count.add({ from: at, to: at }, 'perhaps', requests);
        }
      }
    },
    /** Takes a granted request; beyond the limit of its key, keys do not share a count. */
    granted: (key: CountedKey, at: number): void => {
      for (const window of WINDOWS) {
        for (const { name, count } of scopesOf(key, window)) {
          if (count !== 'not shared') {
            count.add({ from: at, to: at }, 'surely');
            const lately = count.atLeast(at - LENGTHS[window] + MARGIN_MILLISECONDS, at);
            if (lately > limitOf(key, window)) {
              counts.set(name, 'not shared');
            }
          }
        }
      }
    },
    /**
     * Whether so many may have counted on a key, its whole limit by default, with what others used.
     * @returns whether what was granted since rules that out; `null` if it is ruled out now
     */
    reach: (
      key: CountedKey,
      window: 'minute' | 'day',
      at: number,
      used = limitOf(key, window),
    ): (() => boolean) | null => {
      const reached = scopesOf(key, window).filter(
        ({ count }) =>
          count !== 'not shared' && count.atMost(at - LENGTHS[window] - MARGIN_MILLISECONDS, at) >= used,
      );
      return reached.length === 0
        ? null
        : () => reached.every(({ name }) => counts.get(name) === 'not shared');
    },
  };
}

function limitOf({ limits }: CountedKey, window: 'minute' | 'day'): number {
  return window === 'minute' ? limits.perMinute : limits.perDay;
}
