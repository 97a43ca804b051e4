import type { RateLimit } from '../../../contract/rate-limit-headers.ts';
import type { KeyTraffic, Overlap } from './key-traffic.ts';
import type { Span } from './timeline.ts';

/** What X-RateLimit-Remaining of a granted request says of a window. */
export type RemainingReading = ReturnType<typeof readRemaining>;

/** What a granted request says, whose response came in and is counted in the traffic of its key. */
export function readRemaining(
  { limit, remaining, reset }: RateLimit,
  decided: Span,
  { sent, underWay, overlapsFrom }: Overlap,
  { answered, granted, lost }: Readonly<KeyTraffic>,
) {
  return {
    /** Requests of the window that are used, this one included. */
    used: limit - remaining,
    /** When the limit resets, as it is shown. */
    reset,
    decided,
    /** When the earliest request was sent that may be decided at the same time. */
    overlapsFrom: Math.min(decided.from, overlapsFrom),
    /** Responses of the key when it was sent, and when its own came. */
    answeredAtSending: sent.answered,
    answered: answered - 1,
    /** Granted requests of the key when it was sent, and with this one. */
    grantedAtSending: sent.granted,
    granted,
    /** Requests that are under way when its response comes. */
    underWay,
    /** Requests without a response until then. */
    lost,
  };
}

/**
 * Follows Remaining as windows show it that end all at once: fixed ones and aligned ones.
 * Between two granted requests as many are used as counted, or else a window ended and the count began anew; windows
 * do not end sooner than one length after one another. Each is compared with the one before, which shows where a window
 * ended, and with an early one of its window, since what is off by a part of a request at a time adds up.
 */
export function followRemaining(length: number, margin: number) {
  let last: RemainingReading | undefined;
  let early: RemainingReading | undefined;
  // The window that `last` describes began no earlier than this.
  let begunSince = Number.NEGATIVE_INFINITY;

  /** @returns whether a window may have ended since `before` */
  const endSince = (before: RemainingReading, reading: RemainingReading): boolean => {
    const mayHaveEnded = reading.decided.to >= begunSince + length - margin;
    begunSince = Math.max(begunSince, before.decided.from);
    early = reading;
    return mayHaveEnded && reading.used <= mostSince(before, reading);
  };

  return {
    /** @returns whether a limiter with such windows could have said so */
    take: (reading: RemainingReading): boolean => {
      const before = last;
      if (before === undefined || early === undefined || reading.used < 1) {
        last = reading;
        early = reading;
        return reading.used >= 1;
      }
      const isAfter = isSentAfter(before, reading);
      if (fallsSince(before, reading)) {
        // What left before the window was seen may be of the one before.
        if (!isSentAfter(early, reading)) {
          return true;
        }
        if (fallsSince(early, reading)) {
          if (isAfter || reading.used > before.used) {
            last = reading;
          }
          return true;
        }
        // The one before may be of the window that ended since the early one; its end is not to be found twice.
        last = reading;
        return endSince(early, reading);
      }
      // One that overlapped may have been decided first, in the window before.
      if (!isAfter) {
        return true;
      }
      last = reading;
      return endSince(before, reading);
    },
    forget: (): void => {
      last = undefined;
      early = undefined;
      begunSince = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Whether a request left when another had its response. */
export function isSentAfter(before: RemainingReading, { answeredAtSending }: RemainingReading): boolean {
  return answeredAtSending > before.answered;
}

/** Whether as many more are used as may have counted in between, if no window ended. */
function fallsSince(before: RemainingReading, reading: RemainingReading): boolean {
  const { used } = reading;
  return used >= leastSince(before, reading) && used <= mostUsedSince(before, reading);
}

/** At most so many are used after another reading, if nobody else uses the key. */
export function mostUsedSince(before: RemainingReading, reading: RemainingReading): number {
  return before.used + mostSince(before, reading);
}

/** At least so many are used after another reading of the same window. */
function leastSince(before: RemainingReading, reading: RemainingReading): number {
  const surely = Math.max(0, reading.grantedAtSending - before.granted - before.underWay);
  // What overlapped the one before may have counted after it, or been taken back since.
  return before.used + surely + 1 - before.underWay - overtaking(before);
}

/** At most so many counted since another reading, this one included. */
export function mostSince(before: RemainingReading, reading: RemainingReading): number {
  const between = reading.answered - before.answered - 1;
  return overtaking(before) + between + reading.underWay + reading.lost + 1;
}

/** Requests that were answered while this one was under way. */
function overtaking({ answered, answeredAtSending }: RemainingReading): number {
  return answered - answeredAtSending;
}
