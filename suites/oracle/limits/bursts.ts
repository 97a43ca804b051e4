import type { DecidedAt, RoomSpan } from './timeline.ts';
import { MOST_SEGMENTS } from './windows/phases.ts';
import { isAlone, type LimitedRequest } from './windows/counted-requests.ts';

/** Finds the moments within which a window must have made room for what was granted. */
export interface Bursts {
  /** Takes a granted request. @returns what must have made room, and at how many moments that is possible */
  grant(request: LimitedRequest): { readonly stretch: RoomSpan; readonly places: number } | null;
  /** Takes a refusal that only the full window explains. */
  refuse(request: LimitedRequest): void;
  /** Requests granted in a row, without a pause. */
  readonly length: () => number;
  /** Takes anything else that may count or stand in the way. */
  interrupt(): void;
}

// Whoever waits longer may wait for the next window.
const PAUSE_MILLISECONDS = 10_000;

/** @param limit of the window */
export function followBursts(limit: number): Bursts {
  let burst: { from: number; count: number; to: number } | null = null;
  let full: DecidedAt | null = null;
  return {
    grant: (request) => {
      const { from, to } = request.decided;
      const goesOn = burst !== null && from - burst.to < PAUSE_MILLISECONDS;
      if (goesOn && burst !== null) {
        burst.count += 1;
        burst.to = to;
      } else {
        burst = { from: Math.min(from, request.overlapsFrom), count: 1, to };
      }
      const refused = full;
      full = null;
      const wasFull =
        refused !== null && isAlone(request) && from >= refused.to && from - refused.to < PAUSE_MILLISECONDS;
      // A sliding counter makes room for one request at a time, a segmented window at the end of each part.
      return wasFull
        ? { stretch: { from: refused.from, to }, places: Math.max(limit, MOST_SEGMENTS) }
        : burst.count > limit
          ? { stretch: { from: burst.from, to }, places: 1 }
          : null;
    },
    refuse: (request) => {
      full = isAlone(request) ? request.decided : null;
    },
    length: () => burst?.count ?? 0,
    interrupt: () => {
      full = null;
    },
  };
}
