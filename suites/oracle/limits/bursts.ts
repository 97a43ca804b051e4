import type { Span } from './timeline.ts';
import { MOST_SEGMENTS } from './windows/phases.ts';
import { isAlone, type LimitedRequest } from './windows/counted-requests.ts';

// A client that waits longer may wait for the next window.
const PAUSE_MILLISECONDS = 10_000;

export type Bursts = ReturnType<typeof followBursts>;

/** Finds the moments within which a window must have made room for what was granted. @param limit of the window */
export function followBursts(limit: number) {
  let burst: { from: number; count: number; to: number } | null = null;
  let full: Span | null = null;
  return {
    /** Takes a granted request. @returns what must have made room, and at how many moments that is possible */
    grant: (request: LimitedRequest): { readonly stretch: Span; readonly places: number } | null => {
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
    /** Takes a refusal that only the full window explains. */
    refuse: (request: LimitedRequest): void => {
      full = isAlone(request) ? request.decided : null;
    },
    /** Requests granted in a row, without a pause. */
    length: (): number => burst?.count ?? 0,
    /** Takes anything else that may count or stand in the way. */
    interrupt: (): void => {
      full = null;
    },
  };
}
