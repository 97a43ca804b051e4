import type { DecidedAt } from './timeline.ts';

/** What X-RateLimit-Remaining of a granted request says of a window. */
export interface RemainingReading {
  /** Requests of the window that are used, this one included. */
  readonly used: number;
  readonly decided: DecidedAt;
  /** Responses of the key when it was sent, and when its own came. */
  readonly answeredAtSending: number;
  readonly answered: number;
  /** Granted requests of the key when it was sent, and with this one. */
  readonly grantedAtSending: number;
  readonly granted: number;
  /** Requests that are under way when its response comes. */
  readonly underWay: number;
  /** Requests without a response until then. */
  readonly lost: number;
}

/** Follows Remaining as windows show it that end all at once: fixed ones and aligned ones. */
export interface FallingRemaining {
  /** @returns whether a limiter with such windows could have said so */
  take(reading: RemainingReading): boolean;
  forget(): void;
}

/**
 * Between two granted requests as many are used as counted, or else a window ended and the count began anew; windows
 * do not end sooner than one length after one another.
 */
export function followRemaining(length: number, margin: number): FallingRemaining {
  let last: RemainingReading | undefined;
  // The window that `last` describes began no earlier than this.
  let begunSince = Number.NEGATIVE_INFINITY;
  return {
    take: (reading) => {
      const before = last;
      if (before === undefined || reading.used < 1) {
        last = reading;
        return reading.used >= 1;
      }
      // What overlapped the one before may have counted after it, or been taken back since.
      const overtaking = before.answered - before.answeredAtSending;
      const overlapping = before.underWay + overtaking;
      const between = reading.answered - before.answered - 1;
      const others = overtaking + between + reading.underWay + reading.lost;
      const surely = Math.max(0, reading.grantedAtSending - before.granted - before.underWay);
      const isAfter = reading.answeredAtSending > before.answered;
      const least = before.used + surely + 1 - overlapping;
      const falls = reading.used >= least && reading.used <= before.used + others + 1;
      if (falls && (isAfter || reading.used > before.used)) {
        last = reading;
      }
      // One that overlapped may have been decided first, in the window before.
      if (falls || !isAfter) {
        return true;
      }
      last = reading;
      const mayHaveEnded = reading.decided.to >= begunSince + length - margin;
      begunSince = Math.max(begunSince, before.decided.from);
      return mayHaveEnded && reading.used <= others + 1;
    },
    forget: () => {
      last = undefined;
      begunSince = Number.NEGATIVE_INFINITY;
    },
  };
}
