import { DAY_SECONDS, MINUTE_SECONDS } from '../contract/plans.ts';
import type { KeyRecord } from './key-store.ts';
import type { ServiceRequest } from './messages.ts';

/** What the three X-RateLimit headers say. */
export interface LimitState {
  /** Requests in the window that is described. */
  readonly limit: number;
  /** Requests that remain in it. */
  readonly remaining: number;
  /** When it ends; whole Unix seconds, rounded up. */
  readonly resetUnixSeconds: number;
}

export interface Decision extends LimitState {
  readonly accepted: boolean;
  /** Whether it is refused for a ban rather than for a limit. */
  readonly banned: boolean;
  /** Whole seconds after which one request is accepted; 0 where this one is. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Decides on one request and counts it if accepted; `now` in Unix seconds. */
  readonly decide: (key: KeyRecord, now: number, request: ServiceRequest) => Decision;
  /** Counts `requests` into a day window that begins now. */
  readonly countEarlier: (key: KeyRecord, requests: number, now: number) => void;
  /** Forgets all counts and bans. */
  readonly reset: () => void;
}

export interface BanRule {
  /** Refused requests after the first 429, without a wait until the limit has passed, that lead to the ban. */
  readonly afterRefused: number;
  readonly seconds: number;
  readonly status: 401 | 403 | 429;
}

interface Usage {
  minuteUsed: number;
  minuteEnd: number;
  dayUsed: number;
  dayEnd: number;
  /** Requests refused by a limit since the last accepted one. */
  refused: number;
  bannedUntil: number;
}

/**
 * Fixed windows that begin with their first accepted request, a minute and a day for each key; section "Limits".
 * A refused request counts into no window. The headers describe the day where it leaves fewer requests than
 * the minute, else the minute. A ban is not extended by requests during it.
 * @param ban `false` for a service that bans no one
 */
export function createRateLimiter(ban: BanRule | false): RateLimiter {
  let usages = new WeakMap<KeyRecord, Usage>();

  function usageOf(key: KeyRecord): Usage {
    let usage = usages.get(key);
    if (usage === undefined) {
      usage = { minuteUsed: 0, minuteEnd: 0, dayUsed: 0, dayEnd: 0, refused: 0, bannedUntil: 0 };
      usages.set(key, usage);
    }
    return usage;
  }

  return {
    decide: (key, now) => {
      const usage = usageOf(key);
      endPassedWindows(usage, now);
      const { perMinute, perDay } = key.limits;
      const exhausted = usage.minuteUsed >= perMinute || usage.dayUsed >= perDay;
      return exhausted || now < usage.bannedUntil
        ? refuse(usage, key, now, ban)
        : accept(usage, perMinute, perDay, now);
    },
    countEarlier: (key, requests, now) => {
      const usage = usageOf(key);
      usage.dayUsed = requests;
      usage.dayEnd = now + DAY_SECONDS;
    },
    reset: () => {
      usages = new WeakMap();
    },
  };
}

function endPassedWindows(usage: Usage, now: number): void {
  if (now >= usage.minuteEnd) {
    usage.minuteUsed = 0;
  }
  if (now >= usage.dayEnd) {
    usage.dayUsed = 0;
  }
}

function accept(usage: Usage, perMinute: number, perDay: number, now: number): Decision {
  if (usage.minuteUsed === 0) {
    usage.minuteEnd = now + MINUTE_SECONDS;
  }
  if (now >= usage.dayEnd) {
    usage.dayEnd = now + DAY_SECONDS;
  }
  usage.minuteUsed += 1;
  usage.dayUsed += 1;
  usage.refused = 0;
  const minuteLeft = perMinute - usage.minuteUsed;
  const dayLeft = perDay - usage.dayUsed;
  const dayIsTighter = dayLeft < minuteLeft;
  return {
    accepted: true,
    banned: false,
    limit: dayIsTighter ? perDay : perMinute,
    remaining: dayIsTighter ? dayLeft : minuteLeft,
    resetUnixSeconds: Math.ceil(dayIsTighter ? usage.dayEnd : usage.minuteEnd),
    retryAfterSeconds: 0,
  };
}

function refuse(usage: Usage, key: KeyRecord, now: number, ban: BanRule | false): Decision {
  const { perMinute, perDay } = key.limits;
  if (ban !== false && now >= usage.bannedUntil) {
    usage.refused += 1;
    if (usage.refused > ban.afterRefused) {
      usage.refused = 0;
      usage.bannedUntil = now + ban.seconds;
    }
  }
  const dayBinds = usage.dayUsed >= perDay;
  const minuteEnd = usage.minuteUsed >= perMinute ? usage.minuteEnd : now;
  const acceptedAgain = Math.max(minuteEnd, dayBinds ? usage.dayEnd : now, usage.bannedUntil);
  const minuteReset = usage.minuteUsed > 0 ? usage.minuteEnd : Math.min(acceptedAgain, now + MINUTE_SECONDS);
  return {
    accepted: false,
    banned: now < usage.bannedUntil,
    limit: dayBinds ? perDay : perMinute,
    remaining: 0,
    resetUnixSeconds: Math.ceil(dayBinds ? usage.dayEnd : minuteReset),
    retryAfterSeconds: Math.ceil(acceptedAgain - now),
  };
}
