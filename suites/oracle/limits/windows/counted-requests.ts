import { INSTANT_MILLISECONDS, MARGIN_MILLISECONDS } from '../margin.ts';
import { openTimeline, type Span, type Timeline } from '../timeline.ts';
import { followAllFixedWindows, type AllFixedWindows } from './fixed-windows.ts';

/** A request of a key as the limiter met it. */
export interface LimitedRequest {
  readonly decided: Span;
  /** Other requests of the key that are under way, and may have counted before it. */
  readonly underWay: number;
  /** When the earliest of those, or this one, was sent. */
  readonly overlapsFrom: number;
  /** Responses that came until then were decided before it. */
  readonly after: number;
  /** Requests whose response was lost; each may have counted at any moment since. */
  readonly lost: number;
  /** Whether nothing else may be under way that counts, as what was sent before the history began. */
  readonly isAllSeen: boolean;
}

/** Whether nothing else of the key was under way. */
export function isAlone({ underWay, lost, decided, after }: LimitedRequest): boolean {
  return underWay === 0 && lost === 0 && after >= decided.to;
}

/** Bounds of how many requests count, whatever window algorithm counts them. */
export interface CountBounds {
  /** At most so many requests count in the window when a request is decided, that one not included. */
  atMostUsed(request: LimitedRequest): number;
  /** At most so many requests count in the two windows before the end of a stretch and in the stretch itself. */
  atMostInTwo(stretch: Span): number;
  /** Whether a window is surely full, so that only its end, or that of a part of it, could have made room for a request. */
  isFullUnlessEnded(request: LimitedRequest): boolean;
  /** At least so many surely counted lately, in a stretch that is shorter than a window. */
  atLeastGranted(now: number): number;
  /** How many were granted lately and after a moment: at least, in a stretch that is shorter than a window, and at most, in a longer one. */
  grantedLately(now: number, after: number): { readonly atLeast: number; readonly atMost: number };
  /** The earliest moment at which one of those was decided; `Infinity` if there is none. */
  firstGranted(now: number): number;
  /** At least so many surely counted since a moment. */
  atLeastSince(from: number, now: number): number;
  /** At least so many surely counted in the two windows before. */
  atLeastInTwo(now: number): number;
  /** Whether as many as the limit surely counted lately, in a stretch that is shorter than a window. */
  isUsedUp(now: number): boolean;
}

/** The requests of a key that count in one of its limits, or may. */
export interface CountedRequests {
  readonly bounds: CountBounds;
  readonly timeline: () => Timeline;
  take(request: LimitedRequest, counts: 'surely' | 'perhaps', isRefused?: boolean): void;
  /** The windows that end all at once, by what was taken. */
  readonly fixed: Pick<AllFixedWindows, 'possible' | 'refused'>;
  /** From then on what was told leaves no room for any that are not known, but for a part of one that a counter rounds off. */
  noneToldSince: number;
  /** At most so many that are not known count in a window that begins at a moment, when a request is decided. */
  readonly unseenSince: (begun: number, decidedFrom: number) => number;
  /** Whether nothing counts any more of what is not known, not even in a counter, which weighs the window before. */
  readonly knowsTwoWindows: (moment: number) => boolean;
  /** Takes note that each request that may count did, if none of them can have been forgotten when one was decided. */
  allCount(decided: Span): void;
  /** Requests that counted before the history began, until they are taken along with the first of it. */
  readonly usedBefore: () => number;
  forget(now: number): void;
}

export interface CountedOptions {
  readonly limit: number;
  /** Milliseconds. */
  readonly length: number;
  /** Whether every request that counts is part of the history. */
  readonly isExclusive: boolean;
  /** Since when that is so, in milliseconds of the timekeeper; by default since its first request. */
  readonly exclusiveSince?: number | undefined;
  /** Requests that counted before the history began, or `null` if that is not known. */
  readonly usedBefore: number | null;
}

export function countRequests({ limit, length, isExclusive, ...options }: CountedOptions): CountedRequests {
  const margin = MARGIN_MILLISECONDS;
  const kept = 2 * length + 4 * margin;
  const fixed = followAllFixedWindows({ limit, length, margin });
  let timeline = openTimeline(kept);
  // Before that, requests may have counted of which nothing is known.
  let knownSince = isExclusive && options.usedBefore !== null ? Number.NEGATIVE_INFINITY : Infinity;
  let forgottenAt = Number.NEGATIVE_INFINITY;
  let isEmpty = true;

  const usedBefore = (): number => (isEmpty ? (options.usedBefore ?? 0) : 0);
  const unseenSince = (begun: number, decidedFrom: number): number =>
    begun >= knownSince ? 0 : decidedFrom >= counted.noneToldSince ? 1 : Infinity;
  const knowsTwoWindows = (moment: number): boolean =>
    moment >= Math.min(counted.noneToldSince, knownSince + 2 * length + margin);
  const atLeastGranted = (now: number): number => timeline.atLeast(now - length + margin, now);

  const counted: CountedRequests = {
    bounds: {
      atMostUsed: ({ decided, underWay, lost }) =>
        decided.from < Math.min(counted.noneToldSince, knownSince + length + margin)
          ? Infinity
          : timeline.atMost(decided.from - length - margin, decided.to) + usedBefore() + underWay + lost,
      atMostInTwo: ({ from, to }) =>
        // Of what took longer, the beginning may be forgotten.
        knowsTwoWindows(from) && to - from <= 2 * margin
          ? timeline.atMost(from - 2 * length - margin, to) + unseenSince(from - 2 * length - margin, from)
          : Infinity,
      isFullUnlessEnded: ({ decided, after }) =>
        timeline.atLeast(decided.to - length + margin, after) >= limit,
      atLeastGranted,
      grantedLately: (now, after) => countGrants({ timeline, length, forgottenAt }, now, after),
      firstGranted: (now) => timeline.firstSince(now - length + margin),
      atLeastSince: (from, now) => timeline.atLeast(from, now),
      atLeastInTwo: (now) => timeline.atLeast(now - 2 * length, now),
      isUsedUp: (now) => timeline.atLeastInAll() >= limit && atLeastGranted(now) >= limit,
    },
    timeline: () => timeline,
    take: ({ decided, overlapsFrom, lost }, counts, isRefused = false) => {
      const before = usedBefore();
      if (isEmpty && isExclusive && options.usedBefore === null) {
        knownSince = options.exclusiveSince ?? decided.from;
        fixed.forget(knownSince);
      }
      if (before > 0) {
        timeline.add({ from: decided.from, to: decided.from }, 'perhaps', before);
      }
      const hasRested = overlapsFrom > timeline.latest() + length + margin && lost === 0;
      const isFirst = hasRested && overlapsFrom > knownSince + length + margin && before === 0;
      const isFirstOfAll = isEmpty;
      isEmpty = false;
      timeline.add(decided, counts);
      if (isExclusive) {
        fixed.take({ decided, counts, overlapsFrom, isFirst, isFirstOfAll, lost, isRefused });
      }
    },
    fixed,
    noneToldSince: Infinity,
    unseenSince,
    knowsTwoWindows,
    usedBefore,
    allCount: ({ from, to }) => {
      // Nobody knows when those were made that counted before the history began.
      const isYoung = timeline.atMost(Number.NEGATIVE_INFINITY, to - length + margin) === 0;
      if (isYoung && knowsTwoWindows(from) && (options.usedBefore ?? 0) === 0) {
        timeline.settle();
      }
    },
    forget: (now) => {
      timeline = openTimeline(kept);
      knownSince = isExclusive ? now : Infinity;
      forgottenAt = now;
      counted.noneToldSince = Infinity;
      fixed.forget(now);
    },
  };
  return counted;
}

function countGrants(
  {
    timeline,
    length,
    forgottenAt,
  }: { readonly timeline: Timeline; readonly length: number; readonly forgottenAt: number },
  now: number,
  after: number,
): ReturnType<CountBounds['grantedLately']> {
  const since = Math.max(now - length - MARGIN_MILLISECONDS, after + INSTANT_MILLISECONDS);
  return {
    atLeast: timeline.atLeast(Math.max(now - length + MARGIN_MILLISECONDS, after), now),
    atMost: since < forgottenAt ? Infinity : timeline.surelyAtMost(since, now),
  };
}
