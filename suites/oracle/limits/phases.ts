import type { DecidedAt, Timeline } from './timeline.ts';

/**
 * At which phases windows that follow one another without a gap could begin: those that end in steps, of which the
 * clock-aligned ones have one and segmented ones several, and the sliding counters, which weigh the window before. Nothing
 * but what was seen tells the phase, which may be another for each key.
 */
export interface Phases {
  /** Rules out the phases at which no window that ends in steps could have granted what surely counted until `now`. */
  grantedBySteps(now: number): void;
  /** The same for sliding counters. */
  grantedByCounter(now: number): void;
  /** Rules out the phases at which neither could have been full when it refused a request, `further` ones counted. */
  refused(decided: DecidedAt, further: number): void;
  readonly mayBeAligned: () => boolean;
  readonly mayBeSegmented: () => boolean;
  /** Milliseconds after which a request no longer counts, at the soonest. */
  readonly soonestLapse: () => number;
  readonly mayBeCounter: () => boolean;
  /**
   * @param by which windows explain something now
   * @returns whether one of those at a phase that is possible now is still possible
   */
  explained(by: 'counters' | 'counters or segments'): () => boolean;
  /** Forgets what was ruled out where told values rule out. */
  forgetTold(): void;
  /**
   * Rules out the phases at which no sliding counter and no segmented window would tell that so many are used, that
   * request included. Of many that come at nearly the same time only some are looked at, unless each matters.
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
const BLUR_MILLISECONDS = 2 * DRIFT_MILLISECONDS + COARSE_MILLISECONDS;

/** Where the moment between two windows lies. */
interface Boundary {
  readonly low: number;
  readonly high: number;
}

const ALL_CELLS: readonly number[] = Array.from({ length: CELLS }, (_, cell) => cell);

// What counts in one of so many equal segments of a window lapses all at once.
const SEGMENTS = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24];

/** A window may make room at so many moments of its length, if it makes room for more than one request at a time. */
export const MOST_SEGMENTS = Math.max(...SEGMENTS);

/** A window that ends in steps: in how many, and in which cell of a step they lie. */
interface Steps {
  readonly steps: number;
  readonly cell: number;
}

function stepsOf(steps: number): readonly Steps[] {
  return ALL_CELLS.slice(0, Math.ceil(CELLS / steps)).map((cell) => ({ steps, cell }));
}

const ALL_ALIGNED = stepsOf(1);
const ALL_SEGMENTED = SEGMENTS.flatMap(stepsOf);

/** Which sliding windows no key has ruled out; all keys of a target have the same, each perhaps at a phase of its own. */
export interface SlidingKinds {
  counters: boolean;
  /** In how many segments. */
  segments: ReadonlySet<number>;
}

export function anySlidingKind(): SlidingKinds {
  return { counters: true, segments: new Set(SEGMENTS) };
}

export function openPhases(
  timeline: Timeline,
  limit: number,
  length: number,
  kinds: SlidingKinds,
  unseenSince: (begun: number) => number,
): Phases {
  const width = length / CELLS;
  let aligned = ALL_ALIGNED;
  let segmented = ALL_SEGMENTED;
  let counters = ALL_CELLS;
  const isTurn = thinOut(width);

  /** The last end of a window, or of a step, of that phase that may lie before `now`. */
  const lastBoundary = (cell: number, now: number, apart = length): Boundary => {
    const phase = cell * width - DRIFT_MILLISECONDS;
    const low = phase + Math.floor((now - phase) / apart) * apart;
    return { low, high: low + width + BLUR_MILLISECONDS };
  };

  /** Where the present window may have begun: where the last end lies, or, if that may lie after it, the one before. */
  const boundariesOf = (cell: number, { from, to }: DecidedAt, apart = length): readonly Boundary[] => {
    const boundaries = [lastBoundary(cell, to, apart)];
    for (let [last] = boundaries; last !== undefined && from < last.high; last = boundaries.at(-1)) {
      boundaries.push({ low: last.low - apart, high: last.high - apart });
    }
    return boundaries;
  };

  const keepSegmented = (isPossible: (steps: Steps) => boolean): void => {
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

  const mayBeSegmented = (): boolean => segmented.some(({ steps }) => kinds.segments.has(steps));

  const couldGrant = ({ steps, cell }: Steps, now: number): boolean => {
    const step = length / steps;
    const { low, high } = lastBoundary(cell, now, step);
    return (
      timeline.atLeast(high - length, low) <= limit &&
      timeline.atLeast(high - length + step, now) <= limit &&
      timeline.atLeast(high - length, now) <= 2 * limit &&
      // Two windows in a row cover any stretch that is a step shorter than both.
      timeline.atLeast(now - 2 * length + step + BLUR_MILLISECONDS, now) <= 2 * limit
    );
  };

  /** At most so many lie in a window that ends in steps when a request is decided. */
  const mostInSteps = ({ steps, cell }: Steps, decided: DecidedAt, further: number): number => {
    const step = length / steps;
    return boundariesOf(cell, decided, step).reduce((most, { low }) => {
      const begun = low - length + step;
      return Math.max(most, timeline.atMost(begun, decided.to) + unseenSince(begun) + further);
    }, 0);
  };

  const segmentsTell = (
    { steps, cell }: Steps,
    decided: DecidedAt,
    until: number,
    further: number,
    used: number,
  ): boolean => {
    const step = length / steps;
    return boundariesOf(cell, decided, step).some(({ low, high }) => {
      const begun = low - length + step;
      return (
        used > timeline.atLeast(high - length + step, until) &&
        used <= timeline.atMost(begun, decided.to) + unseenSince(begun) + further + 1
      );
    });
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

  const tells = (cell: number, decided: DecidedAt, until: number, further: number, used: number): boolean =>
    boundariesOf(cell, decided).some(
      (boundary) =>
        used >= Math.floor(leastInCounter(boundary, decided.to, until)) + 1 &&
        used <= Math.ceil(mostIn(boundary, decided, further)) + 1,
    );

  const mostIn = (boundary: Boundary, { from, to }: DecidedAt, further: number): number => {
    const { low, high } = boundary;
    const unseen = unseenSince(low - length);
    const before = timeline.atMost(low - length, high);
    const current = timeline.atMost(low, to) + further;
    const covered = Math.min(1, Math.max(0, 1 - (from - high) / length));
    return Math.min(before * covered + current, timeline.atMost(low - length, to) + further) + unseen;
  };

  return {
    grantedBySteps: (now) => {
      aligned = aligned.filter((steps) => couldGrant(steps, now));
      keepSegmented((steps) => couldGrant(steps, now));
    },
    grantedByCounter: (now) => {
      keepCounters((cell) => isCounter(cell, now));
    },
    refused: (decided, further) => {
      aligned = aligned.filter((steps) => mostInSteps(steps, decided, further) >= limit);
      keepSegmented((steps) => mostInSteps(steps, decided, further) >= limit);
      keepCounters((cell) =>
        boundariesOf(cell, decided).some((boundary) => mostIn(boundary, decided, further) > limit - 1),
      );
    },
    mayBeAligned: () => aligned.length > 0,
    mayBeSegmented,
    soonestLapse: () => length - length / Math.min(...kinds.segments),
    mayBeCounter: () => kinds.counters,
    explained: (by) => {
      const cells = new Set(kinds.counters ? counters : []);
      const inSegments = new Set(by === 'counters' ? [] : segmented);
      return () =>
        (kinds.counters && counters.some((cell) => cells.has(cell))) ||
        segmented.some((one) => kinds.segments.has(one.steps) && inSegments.has(one));
    },
    forgetTold: () => {
      counters = ALL_CELLS;
      segmented = ALL_SEGMENTED;
    },
    tellsUsed: (decided, until, further, used, matters) => {
      // Counted, too, if it matters.
      const isLookedAt = isTurn(decided.to) || matters;
      if (!isLookedAt) {
        return;
      }
      keepSegmented((steps) => segmentsTell(steps, decided, until, further, used));
      if (!kinds.counters) {
        return;
      }
      const begun = timeline.firstSince(Number.NEGATIVE_INFINITY);
      // A counter whose window began before all that is known counts all of it.
      const isAll =
        used > timeline.atLeast(Number.NEGATIVE_INFINITY, until) &&
        used <= timeline.atMost(Number.NEGATIVE_INFINITY, decided.to) + further + 1;
      keepCounters(
        (cell) =>
          (isAll && lastBoundary(cell, decided.to).low <= begun) ||
          tells(cell, decided, until, further, used),
      );
    },
    mostInCounter: (decided, further) =>
      counters.reduce(
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
