import type { ServerClock } from '../../server-clock.ts';
import { followFixedWindows } from './fixed-windows.ts';
import { followFirstValues } from './first-values.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { openPhases, type Phases, type SlidingKinds } from './phases.ts';
import { followRemaining, isSentAfter, mostUsedSince, type RemainingReading } from '../remaining.ts';
import { openTimeline, type DecidedAt, type Timeline } from '../timeline.ts';

/** A request of a key as the limiter met it. */
export interface LimitedRequest {
  readonly decided: DecidedAt;
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

/**
 * One limit of a key under every window algorithm that the readings permit: fixed windows from the first request, aligned
 * to a clock, sliding logs and sliding counters, whatever refused requests count.
 */
export interface WindowModel {
  readonly limit: number;
  /** Takes a granted request. @returns which limiters that keep the limit could have granted it */
  grant(request: LimitedRequest): 'any' | 'sliding' | 'none';
  /** Takes a request that nothing but a full window can have refused: that rules out the windows that were not full. */
  refuse(request: LimitedRequest): void;
  /** Takes note that this was so of one that was taken before, by what was known then. */
  wasRefused(request: LimitedRequest): void;
  /** Takes one that may have counted, or not. */
  mayCount(request: LimitedRequest): void;
  /** The same of one that is none of the key's own. */
  mayCountElsewhere(request: LimitedRequest): void;
  /** Whether a limiter that keeps the limit could have refused it. */
  couldRefuse(request: LimitedRequest): boolean;
  /** At most so many requests count in the window when a request is decided, that one not included. */
  atMostUsed(request: LimitedRequest): number;
  /** The same by what the last granted request was told, whatever was used before; `Infinity` if none was. */
  atMostTold(request: LimitedRequest): number;
  /** At most so many requests count in the two windows before the end of a stretch and in the stretch itself. */
  atMostInTwo(stretch: DecidedAt): number;
  /** Whether a right limiter could show so many used in an answer to a request that may have counted itself. */
  couldShow(request: LimitedRequest, used: number): boolean;
  /**
   * Takes what a granted request said, before it is taken itself.
   * @returns whether a right limiter could have said so, or only one whose windows slide; `null` if too little is known
   */
  couldTell(request: LimitedRequest, reading: RemainingReading): boolean | 'sliding' | null;
  /** Takes what a request says that was refused. */
  tellsRefused(reading: RemainingReading): void;
  /** Whether a window is surely full, so that only its end, or that of a part of it, could have made room for a request. */
  isFullUnlessEnded(request: LimitedRequest): boolean;
  /**
   * Whether a request that may count is as old as a window, or old enough for a part of one to end, in the stretch at
   * whose end this one was granted. Of windows that somebody else's request began nobody knows when they end.
   */
  mayMakeRoom(stretch: DecidedAt, granted: LimitedRequest): boolean;
  /** At least so many surely counted lately, in a stretch that is shorter than a window. */
  atLeastGranted(now: number): number;
  /** The earliest moment at which one of those was decided; `Infinity` if there is none. */
  firstGranted(now: number): number;
  /** At least so many surely counted since a moment. */
  atLeastSince(from: number, now: number): number;
  /** At least so many surely counted in the two windows before. */
  atLeastInTwo(now: number): number;
  /** Whether as many as the limit surely counted lately, in a stretch that is shorter than a window. */
  isUsedUp(now: number): boolean;
  /** @returns whether a sliding window that explains what was seen until now still explains it */
  explained: Phases['explained'];
  /** Forgets what was told of it, and keeps what was granted. */
  mistrustTold(): void;
  /** Begins anew, as with a key of which nothing is known. */
  forget(now: number): void;
}

interface WindowOptions {
  readonly limit: number;
  /** Milliseconds. */
  readonly length: number;
  /** Whether every request that counts is part of the history. */
  readonly isExclusive: boolean;
  /** Since when that is so, in milliseconds of the timekeeper; by default since its first request. */
  readonly exclusiveSince?: number | undefined;
  /** Requests that counted before the history began, or `null` if that is not known. */
  readonly usedBefore: number | null;
  readonly kinds: SlidingKinds;
  readonly clock: Pick<ServerClock, 'at'>;
}

// Nobody else uses so many within a moment.
const MOMENT_MILLISECONDS = 1_000;
const MANY_AT_ONCE = 20;
// A sliding counter may round what it weighs up, and a refused request may count once its answer is written.
const ROUNDED = 2;

export function openWindow(options: WindowOptions): WindowModel {
  const { limit, length, isExclusive } = options;
  const usedBefore = options.usedBefore ?? 0;
  const margin = MARGIN_MILLISECONDS;
  const kept = 2 * length + 4 * margin;
  let timeline: Timeline = openTimeline(kept);
  // Before that, requests may have counted of which nothing is known.
  let knownSince = isExclusive && options.usedBefore !== null ? Number.NEGATIVE_INFINITY : Infinity;
  // Whether what was told leaves no room for any of those, but for a part of one that a counter rounds off.
  let areNoneTold = false;
  let lastTold: RemainingReading | null = null;
  let lastGranted: RemainingReading | null = null;
  const unseenSince = (begun: number): number => (begun >= knownSince ? 0 : areNoneTold ? 1 : Infinity);
  const newPhases = (): Phases => openPhases({ timeline, limit, length, unseenSince }, options.kinds);
  let phases = newPhases();
  let isEmpty = true;
  // After what cannot be explained, what it leaves behind is not said again.
  let isForgotten = false;
  const fromRequests = followFixedWindows({ limit, length, margin, begin: 'with a request' });
  const anywhere = followFixedWindows({ limit, length, margin, begin: 'at any moment' });
  let mayBe = { fromRequest: true, anywhere: true };
  const remaining = followRemaining(length, margin);
  const firstValues = followFirstValues(length, options.clock);
  // Whether windows that end all at once, and a sliding log, could have told what was told.
  let told = { byFixed: true, byLog: true };

  const take = (
    { decided, overlapsFrom, lost }: LimitedRequest,
    counts: 'surely' | 'perhaps',
    isRefused = false,
  ): void => {
    if (isEmpty && isExclusive && options.usedBefore === null) {
      knownSince = options.exclusiveSince ?? decided.from;
      fromRequests.forget(knownSince);
      anywhere.forget(knownSince);
    }
    if (isEmpty && usedBefore > 0) {
      timeline.add({ from: decided.from, to: decided.from }, 'perhaps', usedBefore);
    }
    const hasRested = overlapsFrom > timeline.latest() + length + margin && lost === 0;
    const isFirst =
      hasRested && overlapsFrom > knownSince + length + margin && (!isEmpty || usedBefore === 0);
    isEmpty = false;
    timeline.add(decided, counts);
    if (isExclusive) {
      const request = { decided, counts, overlapsFrom, isFirst, lost, isRefused };
      mayBe = { fromRequest: fromRequests.take(request), anywhere: anywhere.take(request) };
    }
  };

  /** Somebody else may use the key after all if more is used than its requests explain. */
  const doubtIfGrown = (reading: RemainingReading): void => {
    const grown =
      lastTold !== null && isSentAfter(lastTold, reading) && reading.used > mostUsedSince(lastTold, reading);
    if (grown && options.usedBefore === null) {
      areNoneTold = false;
      remaining.forget();
    }
    lastTold = reading;
  };

  const recent = (now: number): number => timeline.atLeast(now - length + margin, now);

  const atMostUsed = ({ decided, underWay, lost }: LimitedRequest): number => {
    if (decided.from < knownSince + length + margin && !areNoneTold) {
      return Infinity;
    }
    const before = isEmpty ? usedBefore : 0;
    return timeline.atMost(decided.from - length - margin, decided.to) + before + underWay + lost;
  };

  /** Whether nothing counts any more of what is not known, not even in a counter, which weighs the window before. */
  const knowsTwoWindows = (moment: number): boolean =>
    areNoneTold || moment >= knownSince + 2 * length + margin;

  const isFullUnlessEnded = ({ decided, after }: LimitedRequest): boolean =>
    timeline.atLeast(decided.to - length + margin, after) >= limit;

  const mostInCounter = ({ decided, underWay, lost }: LimitedRequest): number =>
    phases.mostInCounter({ decided, further: underWay + lost });

  const wasRefused = ({ decided, underWay, lost }: LimitedRequest): void => {
    phases.refused({ decided, further: underWay + lost });
    fromRequests.refused(decided, underWay + lost);
    anywhere.refused(decided, underWay + lost);
  };

  return {
    limit,
    grant: (request) => {
      const { to } = request.decided;
      take(request, 'surely');
      if (timeline.atLeastInAll() <= limit) {
        return 'any';
      }
      if (timeline.atLeast(to - 2 * length, to) > limit) {
        phases.grantedByCounter(to);
      }
      const granted = recent(to);
      if (granted <= limit) {
        return 'any';
      }
      phases.grantedBySteps(to);
      // Two windows at most, even if somebody else's requests began them.
      const mayBeFixed = mayBe.fromRequest || (mayBe.anywhere && phases.mayBeAligned());
      if (mayBeFixed && granted <= 2 * limit) {
        return 'any';
      }
      return phases.mayBeSegmented() || phases.mayBeCounter() ? 'sliding' : 'none';
    },
    refuse: (request) => {
      firstValues.close();
      take(request, 'perhaps', true);
      wasRefused(request);
    },
    wasRefused,
    mayCount: (request) => {
      firstValues.close();
      take(request, 'perhaps');
    },
    mayCountElsewhere: (request) => {
      firstValues.close();
      take(request, 'perhaps');
      remaining.forget();
      lastTold = null;
    },
    couldRefuse: (request) => atMostUsed(request) >= limit || mostInCounter(request) > limit - 1,
    atMostUsed,
    atMostTold: ({ decided, underWay, lost }) =>
      lastGranted === null || decided.from < lastGranted.decided.to
        ? Infinity
        : lastGranted.used +
          timeline.atMost(lastGranted.decided.from, decided.to) +
          underWay +
          lost +
          ROUNDED,
    atMostInTwo: ({ from, to }) =>
      // Of what took longer, the beginning may be forgotten.
      knowsTwoWindows(from) && to - from <= 2 * margin
        ? timeline.atMost(from - 2 * length - margin, to) + unseenSince(from - 2 * length - margin)
        : Infinity,
    couldShow: (request, used) =>
      used <= atMostUsed(request) + 1 ||
      // A sliding counter may round what it weighs up.
      used < mostInCounter(request) + 2,
    couldTell: (request, reading) => {
      const { used } = reading;
      const { decided, after, isAllSeen } = request;
      // Nothing was used before the first one that was granted, of those that were sent before any was answered.
      areNoneTold ||=
        isExclusive && !isForgotten && isAllSeen && used === 1 && reading.answeredAtSending === 0;
      doubtIfGrown(reading);
      lastGranted = isExclusive && isAllSeen ? reading : null;
      const falls = remaining.take(reading);
      if (!knowsTwoWindows(decided.from)) {
        firstValues.close();
      }
      const areFirstApart = firstValues.take(reading);
      const most = atMostUsed(request);
      if (!isAllSeen || (most === Infinity && isForgotten)) {
        return null;
      }
      const lately = timeline.atLeast(decided.to - length + margin, after);
      told.byFixed &&= falls && used <= most + 1;
      told.byLog &&= used > lately && used <= most + 1;
      const before = isEmpty ? usedBefore : 0;
      const isTold = told.byFixed || told.byLog;
      const further = request.underWay + request.lost + before;
      phases.tellsUsed({ decided, until: after, further, used }, !isTold);
      if (!areFirstApart) {
        return false;
      }
      // However few are used, more may be of which nothing is known.
      if (isTold && most === Infinity) {
        return null;
      }
      return isTold || (phases.mayBeSegmented() || phases.mayBeCounter() ? 'sliding' : false);
    },
    tellsRefused: (reading) => {
      const isSudden =
        lastTold !== null &&
        reading.decided.to - lastTold.decided.from <= MOMENT_MILLISECONDS &&
        reading.used - lastTold.used >= MANY_AT_ONCE;
      if (!isSudden) {
        doubtIfGrown(reading);
      }
    },
    isFullUnlessEnded,
    mayMakeRoom: ({ from, to }, granted) =>
      (!knowsTwoWindows(from) && !isFullUnlessEnded(granted)) ||
      timeline.atMost(from - length - margin, to - phases.soonestLapse() + margin) > 0,
    atLeastGranted: recent,
    firstGranted: (now) => timeline.firstSince(now - length + margin),
    atLeastSince: (from, now) => timeline.atLeast(from, now),
    atLeastInTwo: (now) => timeline.atLeast(now - 2 * length, now),
    isUsedUp: (now) => timeline.atLeastInAll() >= limit && recent(now) >= limit,
    explained: (by) => phases.explained(by),
    mistrustTold: () => {
      remaining.forget();
      phases.forgetTold();
      areNoneTold = false;
      lastGranted = null;
      told = { byFixed: true, byLog: true };
    },
    forget: (now) => {
      timeline = openTimeline(kept);
      isForgotten = true;
      areNoneTold = false;
      lastGranted = null;
      knownSince = isExclusive ? now : Infinity;
      phases = newPhases();
      mayBe = { fromRequest: true, anywhere: true };
      fromRequests.forget(now);
      anywhere.forget(now);
      remaining.forget();
      firstValues.close();
      told = { byFixed: true, byLog: true };
    },
  };
}
