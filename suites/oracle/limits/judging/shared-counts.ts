import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { Exchange } from '../../exchange.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { openTimeline, type Timeline } from '../timeline.ts';

type CountedKey = Pick<KeyLimits, 'plan' | 'limits'>;

/** A count that several keys may share. */
interface SharedCount {
  readonly timeline: Timeline;
  /** The end that was named last, and how many requests were granted until then. */
  reset: number;
  granted: number;
  /** The greatest limit of its keys. */
  greatestLimit: number;
}

const LENGTHS = { minute: MINUTE_SECONDS * 1000, day: DAY_SECONDS * 1000 };
const WINDOWS = ['minute', 'day'] as const;
const MARGIN_SECONDS = MARGIN_MILLISECONDS / 1000;

/** Follows whether the requests of several keys, of one plan, of one plan and the same limits, or all, may count as if they were those of one. */
export function followSharedCounts() {
  const counts = new Map<string, SharedCount | 'not shared'>();
  const scopesOf = (key: CountedKey, window: 'minute' | 'day') =>
    [`${window} of all`, `${window} of ${key.plan}`, `${window} of ${key.plan}, ${limitOf(key, window)}`].map(
      (name) => {
        const count = counts.get(name) ?? openSharedCount(window);
        counts.set(name, count);
        return { name, count };
      },
    );
  const mayCount = (
    key: CountedKey,
    at: number,
    windows: readonly ('minute' | 'day')[],
    requests = 1,
  ): void => {
    for (const { count } of windows.flatMap((window) => scopesOf(key, window))) {
      if (count !== 'not shared') {
        count.timeline.add({ from: at, to: at }, 'perhaps', requests);
      }
    }
  };
  return {
    /** Takes what a key had used of its day when it became known. */
    used: (key: CountedKey, requests: number, at: number): void => {
      if (requests > 0) {
        mayCount(key, at, ['day'], requests);
      }
    },
    /** Takes a request that was refused for what it asks, and may count. */
    mayCount: (key: CountedKey, at: number): void => mayCount(key, at, WINDOWS),
    /** Takes a granted request; beyond the limit of its key, keys do not share a count. */
    granted: (
      key: CountedKey,
      { sentAt, receivedAt: at }: Pick<Exchange, 'sentAt' | 'receivedAt'>,
      described: DescribedWindow | null,
    ): void => {
      for (const window of WINDOWS) {
        const limit = limitOf(key, window);
        const reset = described?.window === window ? described.reset : null;
        for (const { name, count } of scopesOf(key, window)) {
          if (
            count !== 'not shared' &&
            !takesGrant(count, { sentAt, at, reset, limit, length: LENGTHS[window] })
          ) {
            counts.set(name, 'not shared');
          }
        }
      }
    },
    /** Whether just so many are used of a minute by keys that share a count, of which some may be under way. */
    explain: (key: CountedKey, at: number, used: number, underWay: number): boolean =>
      scopesOf(key, 'minute').some(
        ({ count }) =>
          count !== 'not shared' &&
          count.timeline.atLeast(at - LENGTHS.minute + MARGIN_MILLISECONDS, at) <= used &&
          count.timeline.atMost(at - LENGTHS.minute - MARGIN_MILLISECONDS, at) + underWay >= used,
      ),
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
          count !== 'not shared' &&
          count.timeline.atMost(at - LENGTHS[window] - MARGIN_MILLISECONDS, at) >= used,
      );
      return reached.length === 0
        ? null
        : () => reached.every(({ name }) => counts.get(name) === 'not shared');
    },
  };
}

function openSharedCount(window: 'minute' | 'day'): SharedCount {
  return {
    timeline: openTimeline(2 * LENGTHS[window]),
    reset: Number.NEGATIVE_INFINITY,
    granted: 0,
    greatestLimit: 0,
  };
}

interface Grant {
  readonly sentAt: number;
  readonly at: number;
  /** The end of the window that it named. */
  readonly reset: number | null;
  readonly limit: number;
  readonly length: number;
}

/** @returns whether one count could have granted it: one window ends after another, and not two of them within one length */
function takesGrant(count: SharedCount, { sentAt, at, reset, limit, length }: Grant): boolean {
  count.timeline.add({ from: at, to: at }, 'surely');
  const isBack = reset !== null && reset < count.reset - MARGIN_SECONDS;
  if (reset !== null && reset > count.reset) {
    count.reset = reset;
    count.granted = 0;
  }
  count.granted += reset === count.reset ? 1 : 0;
  count.greatestLimit = Math.max(count.greatestLimit, limit);
  const lately = count.timeline.atLeast(at - length + MARGIN_MILLISECONDS, at);
  // What was answered while it was under way may have counted after it.
  const most = limit + count.timeline.atMost(sentAt, at) - 1;
  return !isBack && count.granted <= most && lately <= count.greatestLimit + most;
}

function limitOf({ limits }: CountedKey, window: 'minute' | 'day'): number {
  return window === 'minute' ? limits.perMinute : limits.perDay;
}
