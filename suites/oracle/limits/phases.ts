import type { DecidedAt, Timeline } from './timeline.ts';

/**
 * At which phases windows that follow one another without a gap could begin: the clock-aligned ones, for all keys or for
 * each by itself, and the sliding counters, which weigh the window before. Nothing but what was seen tells the phase.
 */
export interface Phases {
  /** Rules out the phases at which no aligned window could have granted what surely counted until `now`. */
  grantedByAligned(now: number): void;
  /** The same for sliding counters. */
  grantedByCounter(now: number): void;
  /** Rules out the phases at which neither could have been full when it refused a request, `further` ones counted. */
  refused(decided: DecidedAt, further: number): void;
  readonly mayBeAligned: () => boolean;
  readonly mayBeCounter: () => boolean;
  /** Whether every sliding counter that is still possible is full when a request is decided. */
  readonly areCountersFull: (decided: DecidedAt, before: number) => boolean;
  /**
   * Rules out the phases at which no sliding counter would tell that so many are used, that request included. Of many
   * that come at nearly the same time only some are looked at, unless each matters.
   * @param before what was decided until then was decided before it
   */
  tellsUsed(decided: DecidedAt, before: number, further: number, used: number, matters: boolean): void;
  /**
   * At most so many requests count in a sliding counter when a request is decided, `further` ones included; `Infinity` if
   * some may count of which nothing is known.
   */
  readonly mostInCounter: (decided: DecidedAt, further: number) => number;
}

const CELLS = 120;
// What the timekeeper may drift from the clock of the target.
const DRIFT_MILLISECONDS = 250;
// A clock of whole seconds is behind by up to this much, now more and now less.
const COARSE_MILLISECONDS = 1_000;

/** Where the moment between two windows lies. */
interface Boundary {
  readonly low: number;
  readonly high: number;
}

const ALL_CELLS: readonly number[] = Array.from({ length: CELLS }, (_, cell) => cell);

/** The phases at which sliding counters may stand; all keys of a target have the same. */
export interface CounterPhases {
  cells: readonly number[];
}

export function anyCounterPhase(): CounterPhases {
  return { cells: ALL_CELLS };
}

export function openPhases(
  timeline: Timeline,
  limit: number,
  length: number,
  counters: CounterPhases,
  knownSince: () => number,
): Phases {
  const width = length / CELLS;
  let aligned = ALL_CELLS;
  const isTurn = thinOut(width);

  /** The last end of a window of that phase that may lie before `now`. */
  const lastBoundary = (cell: number, now: number): Boundary => {
    const phase = cell * width - DRIFT_MILLISECONDS;
    const low = phase + Math.floor((now - phase) / length) * length;
    return { low, high: low + width + 2 * DRIFT_MILLISECONDS + COARSE_MILLISECONDS };
  };

  /** Where the present window may have begun: where the last end lies, or, if that may lie after it, the one before. */
  const boundariesOf = (cell: number, { from, to }: DecidedAt): readonly Boundary[] => {
    const last = lastBoundary(cell, to);
    return from >= last.high ? [last] : [last, { low: last.low - length, high: last.high - length }];
  };

  const isAligned = (cell: number, now: number): boolean => {
    const { low, high } = lastBoundary(cell, now);
    return (
      timeline.atLeast(high - length, low) <= limit &&
      timeline.atLeast(high, now) <= limit &&
      timeline.atLeast(high - length, now) <= 2 * limit
    );
  };

  const isCounter = (cell: number, now: number): boolean => {
    const { low, high } = lastBoundary(cell, now);
    const before = timeline.atLeast(high - length, low);
    const current = timeline.atLeast(high, now);
    const both = timeline.atLeast(high - length, now);
    if (before > limit || current > limit) {
      return false;
    }
    // If nothing surely counted before, the boundary matters only from the first request on.
    const boundary = before > 0 ? low : Math.max(low, timeline.firstSince(high - length));
    const covered = Math.max(0, 1 - (now - boundary) / length);
    const used = Math.max(before * covered + current, both * covered);
    // Some round down what still counts of the window before.
    return used < limit + 1;
  };

  /** At least so many count in a sliding counter when a request is decided that is not one of them. */
  const leastInCounter = ({ low, high }: Boundary, to: number, until: number): number => {
    const before = timeline.atLeast(high - length, Math.min(low, until));
    const current = timeline.atLeast(high, until);
    const both = timeline.atLeast(high - length, until);
    const covered = Math.max(0, 1 - (to - low) / length);
    return Math.max(before * covered + current, both * covered);
  };

  /** Whether all is known that counted in the window before. */
  const isKnown = ({ low }: Boundary): boolean => low - length >= knownSince();

  const tells = (cell: number, decided: DecidedAt, until: number, further: number, used: number): boolean =>
    boundariesOf(cell, decided).some(
      (boundary) =>
        used >= Math.floor(leastInCounter(boundary, decided.to, until)) + 1 &&
        used <= Math.ceil(mostIn(boundary, decided, further)) + 1,
    );

  const mostIn = (boundary: Boundary, { from, to }: DecidedAt, further: number): number => {
    const { low, high } = boundary;
    if (!isKnown(boundary)) {
      return Infinity;
    }
    const before = timeline.atMost(low - length, high);
    const current = timeline.atMost(low, to) + further;
    const covered = Math.min(1, Math.max(0, 1 - (from - high) / length));
    return Math.min(before * covered + current, timeline.atMost(low - length, to) + further);
  };

  return {
    grantedByAligned: (now) => {
      aligned = aligned.filter((cell) => isAligned(cell, now));
    },
    grantedByCounter: (now) => {
      counters.cells = counters.cells.filter((cell) => isCounter(cell, now));
    },
    refused: (decided, further) => {
      aligned = aligned.filter((cell) =>
        boundariesOf(cell, decided).some(
          ({ low }) => low < knownSince() || timeline.atMost(low, decided.to) + further >= limit,
        ),
      );
      counters.cells = counters.cells.filter((cell) =>
        boundariesOf(cell, decided).some((boundary) => mostIn(boundary, decided, further) > limit - 1),
      );
    },
    mayBeAligned: () => aligned.length > 0,
    mayBeCounter: () => counters.cells.length > 0,
    tellsUsed: (decided, until, further, used, matters) => {
      // Counted, too, if it matters.
      const isLookedAt = isTurn(decided.to) || matters;
      if (!isLookedAt || counters.cells.length === 0) {
        return;
      }
      const begun = timeline.firstSince(Number.NEGATIVE_INFINITY);
      // A counter whose window began before all that is known counts all of it.
      const isAll =
        used > timeline.atLeast(Number.NEGATIVE_INFINITY, until) &&
        used <= timeline.atMost(Number.NEGATIVE_INFINITY, decided.to) + further + 1;
      counters.cells = counters.cells.filter(
        (cell) =>
          (isAll && lastBoundary(cell, decided.to).low <= begun) ||
          tells(cell, decided, until, further, used),
      );
    },
    areCountersFull: (decided, until) =>
      counters.cells.every((cell) => {
        const boundaries = boundariesOf(cell, decided);
        return boundaries.every((boundary) => leastInCounter(boundary, decided.to, until) >= limit);
      }),
    mostInCounter: (decided, further) =>
      counters.cells.reduce(
        (most, cell) =>
          Math.max(
            most,
            ...boundariesOf(cell, decided).map((boundary) => mostIn(boundary, decided, further)),
          ),
        0,
      ),
  };
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
