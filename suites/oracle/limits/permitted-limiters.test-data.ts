import * as fc from 'fast-check';

import type { PlanLimits } from '../../../contract/plans.ts';

/** What a limiter remembers of one key in windows of one length; seconds of its own clock. */
interface Memory {
  readonly remaining: (now: number) => number;
  readonly count: (now: number) => void;
  /** When the next request is accepted. */
  readonly opensAt: (now: number) => number;
  /** When the window ends, or the next request is forgotten. */
  readonly endsAt: (now: number) => number;
}

function fixedWindow(limit: number, endOf: (now: number) => number): Memory {
  let used = 0;
  let end = Number.NEGATIVE_INFINITY;
  return {
    remaining: (now) => (now >= end ? limit : limit - used),
    count: (now) => {
      if (now >= end) {
        end = endOf(now);
        used = 0;
      }
      used += 1;
    },
    opensAt: (now) => (now >= end || used < limit ? now : end),
    endsAt: (now) => (now >= end ? endOf(now) : end),
  };
}

/** Aligned to the clock, and named as if it lasted its length from its first request. */
function alignedWindow(limit: number, length: number, phase: number, isKept = false): Memory {
  let kept = Number.NEGATIVE_INFINITY;
  const aligned = fixedWindow(limit, (now) => (Math.floor((now - phase) / length) + 1) * length + phase);
  return {
    ...aligned,
    count: (now) => {
      kept = aligned.remaining(now) === limit ? now + length : kept;
      aligned.count(now);
    },
    endsAt: (now) => (isKept ? Math.max(kept, aligned.endsAt(now)) : aligned.endsAt(now)),
  };
}

function slidingLog(limit: number, length: number): Memory {
  let log: number[] = [];
  const forget = (now: number): void => {
    log = log.filter((moment) => moment > now - length);
  };
  return {
    remaining: (now) => {
      forget(now);
      return limit - log.length;
    },
    count: (now) => {
      log.push(now);
    },
    opensAt: (now) => {
      forget(now);
      return log.length < limit ? now : (log.at(-limit) ?? now) + length;
    },
    endsAt: (now) => {
      forget(now);
      return (log[0] ?? now) + length;
    },
  };
}

/** @param round how the share of the window before is rounded */
function slidingCounter(
  limit: number,
  length: number,
  phase: number,
  round: (share: number) => number,
): Memory {
  let index = Number.NEGATIVE_INFINITY;
  let previous = 0;
  let current = 0;
  const move = (now: number): number => {
    const position = (now - phase) / length;
    const moved = Math.floor(position);
    if (moved !== index) {
      previous = moved === index + 1 ? current : 0;
      current = 0;
      index = moved;
    }
    return 1 - (position - moved);
  };
  const remaining = (now: number): number => {
    const covered = move(now);
    return limit - current - round(previous * covered);
  };
  return {
    remaining,
    count: (now) => {
      move(now);
      current += 1;
    },
    opensAt: (now) => {
      const [savedIndex, savedPrevious, savedCurrent] = [index, previous, current];
      let moment = now;
      while (remaining(moment) < 1) {
        moment += length / 240;
      }
      [index, previous, current] = [savedIndex, savedPrevious, savedCurrent];
      return moment;
    },
    endsAt: (now) => (Math.floor((now - phase) / length) + 1) * length + phase,
  };
}

/** A sliding window in steps: what is counted in a segment lapses all at once, a window after that segment began. */
function segmentedWindow(limit: number, length: number, phase: number, segments: number): Memory {
  const step = length / segments;
  const log = slidingLog(limit, length);
  const beginning = (now: number): number => Math.floor((now - phase) / step) * step + phase;
  return {
    ...log,
    // As if each request were made when its segment began.
    count: (now) => log.count(beginning(now)),
    endsAt: (now) => beginning(now) + step,
  };
}

const ALGORITHMS = {
  'from the first request': (limit, length) => fixedWindow(limit, (now) => now + length),
  'first from the issue of the key, then from a request': (limit, length, phase) => {
    let first: number | null = null;
    return fixedWindow(limit, (now) => {
      first ??= now + length - phase;
      return now < first ? first : now + length;
    });
  },
  'clock-aligned': alignedWindow,
  // As a counter that has the minute in its name, and is forgotten a minute after its first request.
  'clock-aligned, named for its whole length': (limit, length) => alignedWindow(limit, length, 0, true),
  'sliding log': slidingLog,
  'sliding counter, rounded up': (limit, length, phase) =>
    slidingCounter(limit, length, phase, (share) => Math.ceil(share - 1e-9)),
  'sliding counter, rounded down': (limit, length, phase) => slidingCounter(limit, length, phase, Math.floor),
  'two segments': (limit, length, phase) => segmentedWindow(limit, length, phase, 2),
  'three segments': (limit, length, phase) => segmentedWindow(limit, length, phase, 3),
  'ten segments': (limit, length, phase) => segmentedWindow(limit, length, phase, 10),
  'sixty segments': (limit, length, phase) => segmentedWindow(limit, length, phase, 60),
} satisfies Readonly<Record<string, (limit: number, length: number, phase: number) => Memory>>;

type AlgorithmName = keyof typeof ALGORITHMS;

interface WindowChoice {
  readonly algorithm: AlgorithmName;
  /** Share of the window. */
  readonly phase: number;
  /** Which requests count besides the accepted ones. */
  readonly countsBad: boolean;
  readonly countsRefused: boolean;
  readonly countsBanned: boolean;
}

/** Everything that the readings leave open to a limiter, and nothing else. */
export interface PermittedLimiter {
  readonly limits: PlanLimits;
  readonly minute: WindowChoice;
  readonly day: WindowChoice;
  /** Whether each key has phases of its own. */
  readonly ownPhases: boolean;
  readonly ban: {
    /** Refusals after the first 429 that are not banned yet. */
    readonly threshold: number;
    readonly seconds: number;
    readonly status: 401 | 403 | 429;
    readonly extended: boolean;
    readonly tellsWait: boolean;
  } | null;
  readonly wholeSeconds: boolean;
  /** Seconds by which its clock is ahead of the client's. */
  readonly skew: number;
  readonly retryAfter: 'seconds' | 'date' | 'two seconds more' | 'whole minutes' | 'a quarter of an hour';
  readonly describes: 'minute' | 'day' | 'tighter';
  /** Whether the headers are made when the response is written, when more may have counted. */
  readonly describesLate: boolean;
  /** Whether X-RateLimit-Reset names the end of the window, and not the present second. */
  readonly namesEnd: boolean;
}

const PLAIN_WINDOW: WindowChoice = {
  algorithm: 'from the first request',
  phase: 0,
  countsBad: false,
  countsRefused: false,
  countsBanned: false,
};

/** The limits of a Free key in windows that begin with a request, without bans. */
export const PLAIN_LIMITER: PermittedLimiter = {
  limits: { perMinute: 60, perDay: 1_000 },
  minute: PLAIN_WINDOW,
  day: PLAIN_WINDOW,
  ownPhases: false,
  ban: null,
  wholeSeconds: false,
  skew: 1_000_000,
  retryAfter: 'seconds',
  describes: 'minute',
  describesLate: false,
  namesEnd: false,
};

/** What is decided on one request. */
export interface LimiterDecision {
  readonly outcome: 'granted' | 'limited' | 'banned';
  /** Seconds to wait, or `null` if the answer does not say. */
  readonly wait: number | null;
  readonly limit: number;
  readonly remaining: number;
  /** Remaining as headers show it that are made later, in the same window. */
  readonly remainingLater: (seconds: number) => number;
  readonly reset: number;
  readonly now: number;
}

// A power of two, so that the sums of its times are exact, and no rounding lets anyone in late.
const TICKS_A_SECOND = 1024;

const inTicks = (seconds: number, ticks: number): number => Math.floor(seconds * ticks) / ticks;

/** The same for the key with that index. */
export function limiterOfKey(model: PermittedLimiter, index: number): PermittedLimiter {
  const shift = (choice: WindowChoice): WindowChoice => ({
    ...choice,
    phase: (choice.phase + index * SHARE_OF_WINDOW) % 1,
  });
  return model.ownPhases ? { ...model, minute: shift(model.minute), day: shift(model.day) } : model;
}

// Its multiples spread the keys over the window.
const SHARE_OF_WINDOW = 0.37;

/** A limiter for one key. @param usedToday requests that count into its day already */
export function createLimiter(
  { limits, minute, day, ban, wholeSeconds, skew, describes, namesEnd }: PermittedLimiter,
  usedToday: number,
): (seconds: number, isGood: boolean) => LimiterDecision {
  const [byMinute, byDay] = [
    openMemory(minute, limits.perMinute, 60),
    openMemory(day, limits.perDay, 86_400),
  ];
  let isNew = true;
  let refused = 0;
  let bannedUntil = Number.NEGATIVE_INFINITY;
  const toClock = (seconds: number): number => inTicks(seconds + skew, wholeSeconds ? 1 : TICKS_A_SECOND);
  return (seconds, isGood) => {
    const now = toClock(seconds);
    if (isNew) {
      isNew = false;
      Array.from({ length: usedToday }).forEach(() => byDay.count(now));
    }
    const count = (counts: (choice: WindowChoice) => boolean): void => {
      if (counts(minute)) {
        byMinute.count(now);
      }
      if (counts(day)) {
        byDay.count(now);
      }
    };
    const decided = (outcome: LimiterDecision['outcome'], wait: number | null): LimiterDecision => {
      const left = [byMinute.remaining(now), byDay.remaining(now)].map((value) => Math.max(0, value));
      const [ofMinute = 0, ofDay = 0] = left;
      const isDay = describes === 'day' || (describes === 'tighter' && ofDay < ofMinute);
      const [limit, remaining] = isDay ? [limits.perDay, ofDay] : [limits.perMinute, ofMinute];
      const described = isDay ? byDay : byMinute;
      const end = described.endsAt(now);
      const remainingLater = (later: number): number => {
        const then = toClock(later);
        const isOver = described.endsAt(then) !== end;
        return isOver ? remaining : Math.max(0, Math.min(remaining, described.remaining(then)));
      };
      const reset = Math.ceil(namesEnd ? end : now);
      return { outcome, wait, limit, remaining, remainingLater, reset, now };
    };
    const opens = (): number => Math.max(byMinute.opensAt(now), byDay.opensAt(now)) - now;
    if (ban !== null && now < bannedUntil) {
      bannedUntil = ban.extended ? now + ban.seconds : bannedUntil;
      count(({ countsBanned }) => countsBanned);
      return decided('banned', ban.tellsWait ? Math.max(opens(), bannedUntil - now) : null);
    }
    if (byMinute.remaining(now) >= 1 && byDay.remaining(now) >= 1) {
      count(({ countsBad }) => isGood || countsBad);
      refused = 0;
      return decided('granted', null);
    }
    count(({ countsRefused }) => countsRefused);
    refused += 1;
    if (ban !== null && refused > ban.threshold + 1) {
      refused = 0;
      bannedUntil = now + ban.seconds;
      return decided('banned', ban.tellsWait ? Math.max(opens(), ban.seconds) : null);
    }
    return decided('limited', opens());
  };
}

function openMemory({ algorithm, phase }: WindowChoice, limit: number, length: number): Memory {
  return ALGORITHMS[algorithm](limit, length, inTicks(phase * length, TICKS_A_SECOND));
}

// Longer than it takes, which is no violation.
const QUARTER_SECONDS = 900;

/** As Retry-After writes it. */
export function writeWait(form: PermittedLimiter['retryAfter'], wait: number, now: number): string {
  switch (form) {
    case 'date':
      return new Date(Math.ceil(now + wait) * 1000).toUTCString();
    case 'seconds':
      return `${Math.ceil(wait)}`;
    case 'two seconds more':
      return `${Math.ceil(wait) + 2}`;
    case 'whole minutes':
      return `${Math.ceil(wait / 60) * 60}`;
    case 'a quarter of an hour':
      return `${Math.max(QUARTER_SECONDS, Math.ceil(wait))}`;
  }
}

const anyWindow: fc.Arbitrary<WindowChoice> = fc.record({
  algorithm: fc.constantFrom<AlgorithmName>(
    'from the first request',
    'clock-aligned',
    'clock-aligned, named for its whole length',
    'sliding log',
    'sliding counter, rounded up',
    'sliding counter, rounded down',
    'two segments',
    'three segments',
    'ten segments',
    'sixty segments',
  ),
  phase: fc.double({ min: 0, max: 1, noNaN: true }),
  countsBad: fc.boolean(),
  countsRefused: fc.constantFrom(false, false, true),
  countsBanned: fc.boolean(),
});

export const anyPermittedLimiter: fc.Arbitrary<PermittedLimiter> = fc.record({
  limits: fc.constantFrom(
    { perMinute: 1, perDay: 4 },
    { perMinute: 2, perDay: 1_000 },
    { perMinute: 3, perDay: 7 },
    { perMinute: 5, perDay: 40 },
    { perMinute: 8, perDay: 1_000 },
    { perMinute: 20, perDay: 60 },
    { perMinute: 60, perDay: 1_000 },
  ),
  minute: anyWindow,
  day: anyWindow,
  ownPhases: fc.boolean(),
  ban: fc.option(
    fc.record({
      threshold: fc.constantFrom(0, 1, 2, 5, 10),
      seconds: fc.constantFrom(1, 5, 45, 300, 86_400, 604_800),
      status: fc.constantFrom<401 | 403 | 429>(401, 403, 429),
      extended: fc.boolean(),
      tellsWait: fc.boolean(),
    }),
  ),
  wholeSeconds: fc.boolean(),
  skew: fc.double({ min: 1e6, max: 1e6 + 200_000, noNaN: true }),
  retryAfter: fc.constantFrom('seconds', 'date', 'two seconds more', 'whole minutes', 'a quarter of an hour'),
  describes: fc.constantFrom('minute', 'day', 'tighter'),
  describesLate: fc.boolean(),
  namesEnd: fc.boolean(),
});
