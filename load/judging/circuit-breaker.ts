export interface Trip {
  readonly kind: 'failing' | 'banned' | 'refused';
  /** A sentence. */
  readonly reason: string;
}

/** How requests ended: all of them, and those among them that count against a load. */
export interface OutcomeCounts {
  readonly seen: number;
  /** Lost, or answered 5xx. */
  readonly failed: number;
  /** Answered 401 or 403. */
  readonly banned: number;
  /** Answered 429. */
  readonly refused: number;
}

/** Ends a load that does harm: on bans, on keys at their limit, on a target that fails, on one that is gone. */
export interface CircuitBreaker {
  readonly response: (status: number) => void;
  readonly loss: () => void;
  /** Counts what several generators saw together. */
  readonly outcomes: (outcomes: OutcomeCounts) => void;
  /** Why the load was ended, or `null`. */
  readonly trip: () => Trip | null;
}

// How many outcomes are judged together.
const WINDOW = 200;
const LARGEST_FAILED_SHARE = 0.5;
const LARGEST_BANNED_SHARE = 0.05;
const LARGEST_REFUSED_SHARE = 0.5;

/**
 * @param expectsRefusals whether refusals and bans are part of the scenario
 * @param stop ends the load; called once
 */
export function createCircuitBreaker(
  expectsRefusals: boolean,
  stop: (reason: string) => void,
): CircuitBreaker {
  let seen = 0;
  let failed = 0;
  let banned = 0;
  let refused = 0;
  let trip: Trip | null = null;
  const look = (): void => {
    if (seen < WINDOW || trip !== null) {
      return;
    }
    if (failed / seen > LARGEST_FAILED_SHARE) {
      trip = {
        kind: 'failing',
        reason: `Stopped: ${failed} of the last ${seen} requests were lost or answered 5xx.`,
      };
    } else if (!expectsRefusals && banned / seen > LARGEST_BANNED_SHARE) {
      trip = {
        kind: 'banned',
        reason: `Stopped: ${banned} of the last ${seen} requests with valid keys were answered 401 or 403, as if banned.`,
      };
    } else if (!expectsRefusals && refused / seen > LARGEST_REFUSED_SHARE) {
      trip = {
        kind: 'refused',
        reason: `Stopped: ${refused} of the last ${seen} requests were answered 429, and going on might lead to a ban.`,
      };
    }
    seen = 0;
    failed = 0;
    banned = 0;
    refused = 0;
    if (trip !== null) {
      stop(trip.reason);
    }
  };
  return {
    response: (status) => {
      seen += 1;
      failed += status >= 500 ? 1 : 0;
      banned += status === 401 || status === 403 ? 1 : 0;
      refused += status === 429 ? 1 : 0;
      look();
    },
    loss: () => {
      seen += 1;
      failed += 1;
      look();
    },
    outcomes: (outcomes) => {
      seen += outcomes.seen;
      failed += outcomes.failed;
      banned += outcomes.banned;
      refused += outcomes.refused;
      look();
    },
    trip: () => trip,
  };
}
