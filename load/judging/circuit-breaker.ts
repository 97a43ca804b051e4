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

export const noOutcomes = () => ({ seen: 0, failed: 0, banned: 0, refused: 0 }) satisfies OutcomeCounts;

type Counting = ReturnType<typeof noOutcomes>;

export function noteStatus(counts: Counting, status: number): void {
  counts.seen += 1;
  counts.failed += status >= 500 ? 1 : 0;
  counts.banned += status === 401 || status === 403 ? 1 : 0;
  counts.refused += status === 429 ? 1 : 0;
}

export function noteLoss(counts: Counting): void {
  counts.seen += 1;
  counts.failed += 1;
}

/** @param factor -1 takes them away */
export function addOutcomes(counts: Counting, outcomes: OutcomeCounts, factor: 1 | -1 = 1): void {
  counts.seen += factor * outcomes.seen;
  counts.failed += factor * outcomes.failed;
  counts.banned += factor * outcomes.banned;
  counts.refused += factor * outcomes.refused;
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
  let counts = noOutcomes();
  let trip: Trip | null = null;
  const look = (): void => {
    if (counts.seen < WINDOW || trip !== null) {
      return;
    }
    trip = tripOf(counts, expectsRefusals);
    counts = noOutcomes();
    if (trip !== null) {
      stop(trip.reason);
    }
  };
  return {
    response: (status) => {
      noteStatus(counts, status);
      look();
    },
    loss: () => {
      noteLoss(counts);
      look();
    },
    outcomes: (outcomes) => {
      addOutcomes(counts, outcomes);
      look();
    },
    trip: () => trip,
  };
}

function tripOf({ seen, failed, banned, refused }: OutcomeCounts, expectsRefusals: boolean): Trip | null {
  if (failed / seen > LARGEST_FAILED_SHARE) {
    return {
      kind: 'failing',
      reason: `Stopped: ${failed} of the last ${seen} requests were lost or answered 5xx.`,
    };
  }
  if (!expectsRefusals && banned / seen > LARGEST_BANNED_SHARE) {
    return {
      kind: 'banned',
      reason: `Stopped: ${banned} of the last ${seen} requests with valid keys were answered 401 or 403, as if banned.`,
    };
  }
  if (!expectsRefusals && refused / seen > LARGEST_REFUSED_SHARE) {
    return {
      kind: 'refused',
      reason: `Stopped: ${refused} of the last ${seen} requests were answered 429, and going on might lead to a ban.`,
    };
  }
  return null;
}
