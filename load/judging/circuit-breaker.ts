import { isOwnCause } from '../engine/load-request.ts';

export interface Trip {
  readonly kind: 'failing' | 'banned' | 'refused';
  /** A sentence. */
  readonly reason: string;
}

/** How requests ended: all of them, and those among them that count against a load. */
export interface OutcomeCounts {
  readonly seen: number;
  /** Lost, not sent, or answered 5xx. */
  readonly failed: number;
  /** Answered 401 or 403. */
  readonly banned: number;
  /** Answered 429. */
  readonly refused: number;
}

type Counting = { -readonly [Name in keyof OutcomeCounts]: number };

export const noOutcomes = (): Counting => ({ seen: 0, failed: 0, banned: 0, refused: 0 });

/** A request that was lost, or not sent by the fault of the target. */
export function noteLoss(counts: Counting, cause: string): void {
  if (!isOwnCause(cause)) {
    noteOutcome(counts, null);
  }
}

/** @param status `null` if the request was lost or not sent */
export function noteOutcome(counts: Counting, status: number | null): void {
  counts.seen += 1;
  counts.failed += status === null || status >= 500 ? 1 : 0;
  counts.banned += status === 401 || status === 403 ? 1 : 0;
  counts.refused += status === 429 ? 1 : 0;
}

function combine(
  one: OutcomeCounts,
  other: OutcomeCounts,
  by: (count: number, otherCount: number) => number,
): OutcomeCounts {
  return {
    seen: by(one.seen, other.seen),
    failed: by(one.failed, other.failed),
    banned: by(one.banned, other.banned),
    refused: by(one.refused, other.refused),
  };
}

export function sumOfOutcomes(all: readonly OutcomeCounts[]): OutcomeCounts {
  return all.reduce((sum, one) => combine(sum, one, (count, more) => count + more), noOutcomes());
}

// How many outcomes are judged together.
const WINDOW = 200;
const LARGEST_FAILED_SHARE = 0.5;
const LARGEST_BANNED_SHARE = 0.05;
const LARGEST_REFUSED_SHARE = 0.5;

/**
 * Ends a load that does harm: on bans, on keys at their limit, on a target that fails, on one that is gone.
 * @param expectsRefusals whether refusals and bans are part of the scenario
 * @param stop ends the load; called once
 */
export function createCircuitBreaker(expectsRefusals: boolean, stop: (reason: string) => void) {
  let judged: OutcomeCounts = noOutcomes();
  let trip: Trip | null = null;
  return {
    /** Takes how all requests ended so far. */
    look: (total: OutcomeCounts): void => {
      if (total.seen - judged.seen < WINDOW || trip !== null) {
        return;
      }
      trip = tripOf(
        combine(total, judged, (count, before) => count - before),
        expectsRefusals,
      );
      judged = { ...total };
      if (trip !== null) {
        stop(trip.reason);
      }
    },
    /** Why the load was ended, or `null`. */
    trip: (): Trip | null => trip,
  };
}

function tripOf({ seen, failed, banned, refused }: OutcomeCounts, expectsRefusals: boolean): Trip | null {
  if (failed / seen > LARGEST_FAILED_SHARE) {
    return {
      kind: 'failing',
      reason: `Stopped: ${failed} of the last ${seen} requests were lost, not sent or answered 5xx.`,
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
