import type { ServerClock } from '../server-clock.ts';
import { isResetWithin } from './judging/reset-within.ts';
import { MARGIN_MILLISECONDS } from './margin.ts';
import { isSentAfter, type RemainingReading } from './remaining.ts';

/** What somebody saw of the first window of a key. */
export interface FirstValues {
  /** What X-RateLimit-Reset said throughout. */
  readonly reset: number;
  readonly granted: number;
  /** Requests that were used, by the first and by the last granted one. */
  readonly least: number;
  readonly most: number;
  /** Requests that may have counted in a window before. */
  readonly preceding: number;
  /** Whether nothing else may have counted. */
  readonly isWhole: boolean;
}

/** Follows the first window of a key, in which granted requests use up as many as were granted. */
export interface FirstValuesFollower {
  /** @returns whether any limiter could have said so */
  take(reading: RemainingReading): boolean;
  /** What a granted request said cannot be read: its value is nobody's. */
  skip(): void;
  /** A request was not granted, or it is not known what it said: nothing is judged after it. */
  close(): void;
  /** `null` as long as nothing was granted. */
  readonly seen: () => FirstValues | null;
}

/**
 * As many are used up as requests were granted, however many are under way at once, and whichever of those are counted
 * before a response is written. That holds under every window algorithm while Reset stays as it is, and no request is
 * older than a window, which a sliding one forgets.
 * @param length of a window, in milliseconds
 * @param beganBy moment at which somebody else may have begun to use the key
 */
export function followFirstValues(
  length: number,
  clock: Pick<ServerClock, 'at'>,
  beganBy = Infinity,
): FirstValuesFollower {
  let opening: RemainingReading | undefined;
  let isClosed = false;
  let hasGaps = false;
  let [granted, least, most, lost] = [0, Infinity, 0, 0];
  // Sent before the opening one was answered, and not answered yet.
  let preceding = 0;
  // At least so many were used before any of those that are followed.
  let usedBefore = 0;
  const values = (reset: number): FirstValues => ({
    reset,
    granted,
    least,
    most,
    preceding: preceding + lost,
    isWhole: !isClosed && !hasGaps && lost === 0,
  });
  return {
    take: (reading) => {
      // The window may have ended while the request was under way.
      isClosed ||= isResetWithin(reading.reset, reading.decided, clock);
      if (isClosed) {
        return true;
      }
      if (opening === undefined) {
        opening = reading;
        preceding = reading.answered + reading.underWay;
        usedBefore = Math.max(0, reading.used - 1 - reading.underWay);
      } else if (!isSentAfter(opening, reading)) {
        preceding -= 1;
      }
      const until = Math.min(opening.overlapsFrom, beganBy) + length - MARGIN_MILLISECONDS;
      if (reading.reset !== opening.reset || reading.decided.to >= until) {
        isClosed = true;
        // It may have counted in the window before.
        preceding += isSentAfter(opening, reading) ? 0 : 1;
        return true;
      }
      granted += 1;
      least = Math.min(least, reading.used);
      most = Math.max(most, reading.used);
      ({ lost } = reading);
      return granted <= most - usedBefore + preceding + lost;
    },
    skip: () => {
      hasGaps = true;
    },
    close: () => {
      isClosed = true;
    },
    seen: () => (opening === undefined || granted === 0 ? null : values(opening.reset)),
  };
}

/**
 * Whether what several saw of the first window of one key fits each other.
 * @param isComplete whether nobody else used the key
 */
export function fitTogether(seen: readonly FirstValues[], isComplete: boolean): boolean {
  const [first] = seen;
  if (first === undefined || seen.some(({ reset }) => reset !== first.reset)) {
    return true;
  }
  const granted = seen.reduce((sum, one) => sum + one.granted, 0);
  const preceding = seen.reduce((sum, one) => sum + one.preceding, 0);
  const most = Math.max(...seen.map((one) => one.most));
  const values = most - Math.min(...seen.map(({ least }) => least)) + 1;
  const isTold = isComplete && seen.every(({ isWhole }) => isWhole);
  return granted <= most + preceding && !(isTold && values > granted);
}
