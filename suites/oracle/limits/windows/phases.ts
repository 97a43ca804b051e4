import { counterCouldGrant, counterCouldTell, mostInCounter } from './sliding-counter.ts';
import {
  mostInSteps,
  steppedWindows,
  stepsCouldGrant,
  stepsCouldTell,
  type SteppedWindow,
} from './stepped-windows.ts';
import { CELLS, lastBoundary, type CountedAt, type SeenOfLimit, type ToldUsed } from './window-boundaries.ts';

const ALL_CELLS: readonly number[] = Array.from({ length: CELLS }, (_, cell) => cell);

// What counts in one of so many equal segments of a window lapses all at once.
const SEGMENTS = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24];

/** A window may make room at so many moments of its length, if it makes room for more than one request at a time. */
export const MOST_SEGMENTS = Math.max(...SEGMENTS);

const ALL_ALIGNED = steppedWindows(1);
const ALL_SEGMENTED = SEGMENTS.flatMap(steppedWindows);

/** Which sliding windows no key has ruled out; all keys of a target have the same, each perhaps at a phase of its own. */
export interface SlidingKinds {
  counters: boolean;
  /** In how many segments. */
  segments: ReadonlySet<number>;
}

export function anySlidingKind(): SlidingKinds {
  return { counters: true, segments: new Set(SEGMENTS) };
}

export type Phases = ReturnType<typeof openPhases>;

/**
 * Follows at which phases windows that follow one another without a gap could begin: those that end in steps, of which the
 * clock-aligned ones have one and segmented ones several, and the sliding counters, which weigh the window before. Nothing
 * but what was seen tells the phase, which may be another for each key.
 */
export function openPhases(seen: SeenOfLimit, kinds: SlidingKinds) {
  const { limit, length } = seen;
  let aligned = ALL_ALIGNED;
  let segmented = ALL_SEGMENTED;
  let counters = ALL_CELLS;
  const isTurn = thinOut(length / CELLS);

  const keepSegmented = (isPossible: (window: SteppedWindow) => boolean): void => {
    segmented = segmented.filter((one) => kinds.segments.has(one.steps) && isPossible(one));
    if (kinds.segments.size > 0) {
      const possible = new Set(segmented.map(({ steps }) => steps));
      kinds.segments = possible.size < kinds.segments.size ? possible : kinds.segments;
    }
  };
  const keepCounters = (isPossible: (cell: number) => boolean): void => {
    counters = kinds.counters ? counters.filter(isPossible) : [];
    kinds.counters &&= counters.length > 0;
  };

  return {
    /** Rules out the phases at which no window that ends in steps could have granted what surely counted until `now`. */
    grantedBySteps: (now: number): void => {
      aligned = aligned.filter((window) => stepsCouldGrant(seen, window, now));
      keepSegmented((window) => stepsCouldGrant(seen, window, now));
    },
    /** The same for sliding counters. */
    grantedByCounter: (now: number): void => keepCounters((cell) => counterCouldGrant(seen, cell, now)),
    /** Rules out the phases at which neither could have been full when it refused a request. */
    refused: (at: CountedAt): void => {
      aligned = aligned.filter((window) => mostInSteps(seen, window, at) >= limit);
      keepSegmented((window) => mostInSteps(seen, window, at) >= limit);
      keepCounters((cell) => mostInCounter(seen, cell, at) > limit - 1);
    },
    mayBeAligned: (): boolean => aligned.length > 0,
    mayBeSegmented: (): boolean => segmented.some(({ steps }) => kinds.segments.has(steps)),
    /** Milliseconds after which a request no longer counts, at the soonest. */
    soonestLapse: (): number => length - length / Math.min(...kinds.segments),
    mayBeCounter: (): boolean => kinds.counters,
    /**
     * @param by which windows explain something now
     * @returns whether one of those at a phase that is possible now is still possible
     */
    explained: (by: 'counters' | 'counters or segments'): (() => boolean) => {
      const cells = new Set(kinds.counters ? counters : []);
      const inSegments = new Set(by === 'counters' ? [] : segmented);
      return () =>
        (kinds.counters && counters.some((cell) => cells.has(cell))) ||
        segmented.some((one) => kinds.segments.has(one.steps) && inSegments.has(one));
    },
    /** Forgets what was ruled out where told values rule out. */
    forgetTold: (): void => {
      counters = ALL_CELLS;
      segmented = ALL_SEGMENTED;
    },
    /**
     * Rules out the phases at which no sliding counter and no segmented window would tell that so many are used, that
     * request included. Of many that come at nearly the same time only some are looked at, unless each matters.
     * @param matters whether it is looked at in any case
     */
    tellsUsed: (told: ToldUsed, matters: boolean): void => {
      // Counted, too, if it matters.
      const isLookedAt = isTurn(told.decided.to) || matters;
      if (!isLookedAt) {
        return;
      }
      keepSegmented((window) => stepsCouldTell(seen, window, told));
      if (kinds.counters) {
        const mayCountAll = countsAllOf(seen, told);
        keepCounters((cell) => mayCountAll(cell) || counterCouldTell(seen, cell, told));
      }
    },
    /**
     * At most so many requests count in a sliding counter when a request is decided; `Infinity` if some may count of which
     * nothing is known.
     */
    mostInCounter: (at: CountedAt): number =>
      counters.reduce((most, cell) => Math.max(most, mostInCounter(seen, cell, at)), 0),
  };
}

/** Whether a counter whose window began before all that is known would tell so many: it counts all of it. */
function countsAllOf(
  seen: SeenOfLimit,
  { decided, until, further, used }: ToldUsed,
): (cell: number) => boolean {
  const { timeline } = seen;
  const ever = Number.NEGATIVE_INFINITY;
  const isAll =
    used > timeline.atLeast(ever, until) && used <= timeline.atMost(ever, decided.to) + further + 1;
  const begun = timeline.firstSince(ever);
  return (cell) => isAll && lastBoundary(seen, cell, decided.to).low <= begun;
}

const GROWTH = 1.5;

/** Of what comes within a stretch of time the first few have their turn, and ever fewer after them. */
function thinOut(stretch: number): (at: number) => boolean {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  let next = 1;
  return (at) => {
    if (at > since + stretch) {
      since = at;
      count = 0;
      next = 1;
    }
    count += 1;
    if (count < next) {
      return false;
    }
    next = Math.ceil(count * GROWTH);
    return true;
  };
}
