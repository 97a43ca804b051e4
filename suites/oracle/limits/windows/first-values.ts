import type { ServerClock } from '../../server-clock.ts';
import { MARGIN_MILLISECONDS, isResetWithin } from '../margin.ts';
import { isSentAfter, type RemainingReading } from '../remaining.ts';

/**
 * Follows the first window of a key, in which granted requests use up as many as were granted.
 * As many are used up as requests were granted, however many are under way at once, and whichever of those are counted
 * before a response is written. That holds under every window algorithm while Reset stays as it is, and no request is
 * older than a window, which a sliding one forgets.
 * @param length of a window, in milliseconds
 */
export function followFirstValues(length: number, clock: Pick<ServerClock, 'at'>) {
  let opening: RemainingReading | undefined;
  let isClosed = false;
  let [granted, most] = [0, 0];
  // Sent before the opening one was answered, and not answered yet.
  let preceding = 0;
  // At least so many were used before any of those that are followed.
  let usedBefore = 0;
  return {
    /** @returns whether any limiter could have said so */
    take: (reading: RemainingReading): boolean => {
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
      const until = opening.overlapsFrom + length - MARGIN_MILLISECONDS;
      if (reading.reset !== opening.reset || reading.decided.to >= until) {
        isClosed = true;
        return true;
      }
      granted += 1;
      most = Math.max(most, reading.used);
      return granted <= most - usedBefore + preceding + reading.lost;
    },
    /** A request was not granted, or it is not known what it said: nothing is judged after it. */
    close: (): void => {
      isClosed = true;
    },
  };
}
