import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import type { KeyRecord } from './key-store.ts';
import type { ServiceRequest } from './messages.ts';
import type { Window, WindowAlgorithm } from './window.ts';

/** What the three X-RateLimit headers say. */
export interface LimitState {
  /** Requests in the window that is described. */
  readonly limit: number;
  /** Requests that remain in it. */
  readonly remaining: number;
  /** When it ends; whole Unix seconds, rounded up. */
  readonly resetUnixSeconds: number;
}

export interface Decision {
  readonly accepted: boolean;
  /** Whether it is refused for a ban rather than for a limit. */
  readonly banned: boolean;
  /** Seconds after which one request is accepted; 0 if this one is. */
  readonly retryAfterSeconds: number;
  readonly minute: LimitState;
  readonly day: LimitState;
}

export interface RateLimiter {
  /** Decides on one request and counts it if accepted; `now` in Unix seconds. */
  readonly decide: (key: KeyRecord, now: number, request: ServiceRequest) => Decision;
  /** What a request would be told now; counts nothing. */
  readonly look: (key: KeyRecord, now: number) => Decision;
  /** Takes back the request that was accepted last. */
  readonly giveBack: (key: KeyRecord) => void;
  /** Counts `requests` into a day window that begins now. */
  readonly countEarlier: (key: KeyRecord, requests: number, now: number) => void;
  /** Forgets all counts. */
  readonly reset: () => void;
}

interface Usage {
  readonly minute: Window;
  readonly day: Window;
}

/** A window of a minute and one of a day for each key; section "Limits". A refused request counts into neither. */
export function createRateLimiter(algorithm: WindowAlgorithm): RateLimiter {
  let usages = new WeakMap<KeyRecord, Usage>();

  function usageOf(key: KeyRecord): Usage {
    let usage = usages.get(key);
    if (usage === undefined) {
      usage = {
        minute: algorithm(key.limits.perMinute, MINUTE_SECONDS),
        day: algorithm(key.limits.perDay, DAY_SECONDS),
      };
      usages.set(key, usage);
    }
    return usage;
  }

  return {
    decide: (key, now) => {
      const usage = usageOf(key);
      if (!isOpen(usage, now)) {
        usage.minute.countRefused?.(now);
        usage.day.countRefused?.(now);
        return refuse(usage, key, now);
      }
      usage.minute.count(now);
      usage.day.count(now);
      return accept(usage, key, now);
    },
    look: (key, now) => {
      const usage = usageOf(key);
      return isOpen(usage, now) ? accept(usage, key, now) : refuse(usage, key, now);
    },
    giveBack: (key) => {
      const { minute, day } = usageOf(key);
      minute.giveBack();
      day.giveBack();
    },
    countEarlier: (key, requests, now) => {
      usageOf(key).day.countEarlier(requests, now);
    },
    reset: () => {
      usages = new WeakMap();
    },
  };
}

function isOpen({ minute, day }: Usage, now: number): boolean {
  return minute.remaining(now) > 0 && day.remaining(now) > 0;
}

function accept(usage: Usage, key: KeyRecord, now: number): Decision {
  return {
    accepted: true,
    banned: false,
    retryAfterSeconds: 0,
    minute: stateOf(usage.minute, key.limits.perMinute, now),
    day: stateOf(usage.day, key.limits.perDay, now),
  };
}

function refuse(usage: Usage, key: KeyRecord, now: number): Decision {
  const opensAt = Math.max(usage.minute.opensAt(now), usage.day.opensAt(now));
  return {
    accepted: false,
    banned: false,
    retryAfterSeconds: Math.max(1, Math.ceil(opensAt - now)),
    minute: stateOf(usage.minute, key.limits.perMinute, now),
    day: stateOf(usage.day, key.limits.perDay, now),
  };
}

function stateOf(window: Window, limit: number, now: number): LimitState {
  return {
    limit,
    remaining: Math.max(0, window.remaining(now)),
    resetUnixSeconds: Math.ceil(window.resetsAt(now)),
  };
}

/** The day if it leaves fewer requests than the minute, else the minute. */
export function tighterOf({ minute, day }: Decision): LimitState {
  return day.remaining < minute.remaining || day.remaining === 0 ? day : minute;
}
