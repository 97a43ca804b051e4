import { MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { ServerClock } from '../../server-clock.ts';
import { MARGIN_MILLISECONDS } from '../margin.ts';
import { followRemaining, isSentAfter, mostUsedSince, type RemainingReading } from '../remaining.ts';
import type { Span } from '../timeline.ts';
import {
  countRequests,
  isAlone,
  type CountBounds,
  type CountedOptions,
  type CountedRequests,
  type LimitedRequest,
} from './counted-requests.ts';
import { followFirstValues } from './first-values.ts';
import { followNamedEnds } from './named-ends.ts';
import { openPhases, type Phases, type SlidingKinds } from './phases.ts';

/**
 * One limit of a key under every window algorithm that the readings permit: fixed windows from the first request, aligned
 * to a clock, sliding logs and sliding counters, whatever refused requests count.
 */
export interface WindowModel extends CountBounds {
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
  /** `atMostUsed` by what the last granted request was told, whatever was used before; `Infinity` if none was. */
  atMostTold(request: LimitedRequest): number;
  /** Whether a right limiter could show so many used in an answer to a request that may have counted itself. */
  couldShow(request: LimitedRequest, used: number): boolean;
  /**
   * Takes what a granted request said, before it is taken itself.
   * @returns whether a right limiter could have said so, or only one whose windows slide; `null` if too little is known
   */
  couldTell(request: LimitedRequest, reading: RemainingReading): boolean | 'sliding' | null;
  /** Takes what a request says that was refused. */
  tellsRefused(reading: RemainingReading): void;
  /**
   * Whether a request that may count is as old as a window, or old enough for a part of one to end, in the stretch at
   * whose end this one was granted. Of windows that somebody else's request began nobody knows when they end.
   */
  mayMakeRoom(stretch: Span, granted: LimitedRequest): boolean;
  /** @returns whether a sliding window that explains what was seen until now still explains it */
  explained: Phases['explained'];
  /** Forgets what was told of it, and keeps what was granted. */
  mistrustTold(): void;
  /** Begins anew, as with a key of which nothing is known. */
  forget(now: number): void;
}

interface WindowOptions extends CountedOptions {
  readonly kinds: SlidingKinds;
  readonly clock: Pick<ServerClock, 'at' | 'source'>;
}

// Nobody else uses so many within a moment.
const MOMENT_MILLISECONDS = 1_000;
const MANY_AT_ONCE = 20;
// A sliding counter may round what it weighs up, and a refused request may count once its answer is written.
const ROUNDED = 2;

export function openWindow(options: WindowOptions): WindowModel {
  const { limit, length } = options;
  const margin = MARGIN_MILLISECONDS;
  const counted = countRequests(options);
  const { bounds, fixed, timeline, unseenSince } = counted;
  const newPhases = (): Phases =>
    openPhases({ timeline: timeline(), limit, length, unseenSince }, options.kinds);
  let phases = newPhases();
  const told = judgeTold(options, counted, () => phases);

  const mostInCounter = ({ decided, underWay, lost }: LimitedRequest): number =>
    phases.mostInCounter({ decided, further: underWay + lost });

  const wasRefused = ({ decided, underWay, lost }: LimitedRequest): void => {
    phases.refused({ decided, further: underWay + lost });
    fixed.refused(decided, underWay + lost);
  };

  return {
    ...bounds,
    limit,
    grant: (request) => {
      const { to } = request.decided;
      counted.take(request, 'surely');
      if (timeline().atLeastInAll() <= limit) {
        return 'any';
      }
      if (timeline().atLeast(to - 2 * length, to) > limit) {
        phases.grantedByCounter(to);
      }
      const granted = bounds.atLeastGranted(to);
      if (granted <= limit) {
        return 'any';
      }
      phases.grantedBySteps(to);
      // Two windows at most, even if somebody else's requests began them.
      if (told.mayEndAllAtOnce() && granted <= 2 * limit) {
        return 'any';
      }
      return phases.mayBeSegmented() || phases.mayBeCounter() ? 'sliding' : 'none';
    },
    refuse: (request) => {
      told.closeFirst();
      counted.take(request, 'perhaps', true);
      wasRefused(request);
    },
    wasRefused,
    mayCount: (request) => {
      told.closeFirst();
      counted.take(request, 'perhaps');
    },
    mayCountElsewhere: (request) => {
      told.closeFirst();
      counted.take(request, 'perhaps');
      told.interrupt();
    },
    couldRefuse: (request) => bounds.atMostUsed(request) >= limit || mostInCounter(request) > limit - 1,
    atMostTold: told.atMostTold,
    couldShow: (request, used) =>
      used <= bounds.atMostUsed(request) + 1 ||
      // A sliding counter may round what it weighs up.
      used < mostInCounter(request) + 2,
    couldTell: told.couldTell,
    tellsRefused: told.tellsRefused,
    mayMakeRoom: ({ from, to }, granted) =>
      (!counted.knowsTwoWindows(from) && !bounds.isFullUnlessEnded(granted)) ||
      timeline().atMost(from - length - margin, to - phases.soonestLapse() + margin) > 0,
    explained: (by) => phases.explained(by),
    mistrustTold: () => {
      told.mistrust();
      phases.forgetTold();
    },
    forget: (now) => {
      counted.forget(now);
      phases = newPhases();
      told.forget();
    },
  };
}

/** Judges what requests are told of a window, before they are counted themselves. */
function judgeTold(options: WindowOptions, counted: CountedRequests, phasesNow: () => Phases) {
  const { length, isExclusive, clock } = options;
  const readings = followReadings(options, counted);
  const firstValues = followFirstValues(length, clock);
  const ends = followNamedEnds(length, clock);
  // Whether windows that end all at once, and a sliding log, could have told what was told.
  let could = { byFixed: true, byLog: true };
  // After what cannot be explained, what it leaves behind is not said again.
  let isForgotten = false;
  // How often in a row all that may have counted was used; one that was refused may be taken back after its answer.
  let allUsed = 0;
  const mistrust = (): void => {
    readings.forget();
    counted.noneToldSince = Infinity;
    could = { byFixed: true, byLog: true };
  };
  return {
    closeFirst: firstValues.close,
    interrupt: readings.interrupt,
    atMostTold: readings.atMostTold,
    /** Whether windows that end all at once could have granted what was taken. */
    mayEndAllAtOnce: (): boolean => {
      const { fromRequest, anywhere } = counted.fixed.possible();
      // Days of a calendar are not all as long.
      const isAligned = length > MINUTE_SECONDS * 1000 || ends.couldBeAligned();
      const isFree = fromRequest && ends.couldBeFromRequest();
      return isFree || (anywhere && isAligned && phasesNow().mayBeAligned());
    },
    tellsRefused: (reading: RemainingReading): void => {
      ends.refused(reading);
      readings.tellsRefused(reading);
    },
    couldTell: (request: LimitedRequest, reading: RemainingReading): boolean | 'sliding' | null => {
      const { used } = reading;
      const { decided, after, underWay, lost, isAllSeen } = request;
      // Nothing was used before the first one that was granted, of those that were sent before any was answered.
      if (isExclusive && !isForgotten && isAllSeen && used === 1 && reading.answeredAtSending === 0) {
        // What overlaps it may have been decided in the window before.
        const since = isAlone(request) ? decided.from : decided.to;
        counted.noneToldSince = Math.min(counted.noneToldSince, since);
      }
      ends.granted(reading);
      const falls = readings.take(reading, isAllSeen);
      if (!counted.knowsTwoWindows(decided.from)) {
        firstValues.close();
      }
      const areFirstApart = firstValues.take(reading);
      const most = counted.bounds.atMostUsed(request);
      if (!isAllSeen || (most === Infinity && isForgotten)) {
        return null;
      }
      const lately = counted.timeline().atLeast(decided.to - length + MARGIN_MILLISECONDS, after);
      could.byFixed &&= falls && used <= most + 1;
      could.byLog &&= used > lately && used <= most + 1;
      const isTold = could.byFixed || could.byLog;
      allUsed = isTold && used === most + 1 && isAlone(request) ? allUsed + 1 : 0;
      if (allUsed > 1) {
        counted.allCount(decided);
      }
      const further = underWay + lost + counted.usedBefore();
      const phases = phasesNow();
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
    mistrust,
    forget: (): void => {
      mistrust();
      isForgotten = true;
      ends.forget();
      firstValues.close();
    },
  };
}

/** Follows how many are used by what the requests of a key are told, one after the other. */
function followReadings({ length, isExclusive, usedBefore }: WindowOptions, counted: CountedRequests) {
  const remaining = followRemaining(length, MARGIN_MILLISECONDS);
  let lastTold: RemainingReading | null = null;
  let lastGranted: RemainingReading | null = null;
  /** Somebody else may use the key after all if more is used than its requests explain. */
  const doubtIfGrown = (reading: RemainingReading): void => {
    const grown =
      lastTold !== null && isSentAfter(lastTold, reading) && reading.used > mostUsedSince(lastTold, reading);
    if (grown && usedBefore === null) {
      counted.noneToldSince = Infinity;
      remaining.forget();
    }
    lastTold = reading;
  };
  return {
    /** @returns whether windows that end all at once could have said so */
    take: (reading: RemainingReading, isAllSeen: boolean): boolean => {
      doubtIfGrown(reading);
      lastGranted = isExclusive && isAllSeen ? reading : null;
      return remaining.take(reading);
    },
    tellsRefused: (reading: RemainingReading): void => {
      const isSudden =
        lastTold !== null &&
        reading.decided.to - lastTold.decided.from <= MOMENT_MILLISECONDS &&
        reading.used - lastTold.used >= MANY_AT_ONCE;
      if (!isSudden) {
        doubtIfGrown(reading);
      }
    },
    atMostTold: ({ decided, underWay, lost }: LimitedRequest): number =>
      lastGranted === null || decided.from < lastGranted.decided.to
        ? Infinity
        : lastGranted.used +
          counted.timeline().atMost(lastGranted.decided.from, decided.to) +
          underWay +
          lost +
          ROUNDED,
    /** Something counted that was told nothing. */
    interrupt: (): void => {
      remaining.forget();
      lastTold = null;
    },
    forget: (): void => {
      remaining.forget();
      lastGranted = null;
    },
  };
}
