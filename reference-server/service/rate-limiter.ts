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

/**
 * A window of a minute and one of a day for each key; section "Limits". A refused request counts into neither.
 * @param start called at start and at each reset
 */
export function createRateLimiter(start: () => WindowAlgorithm): RateLimiter {
  let algorithm = start();
  let usages = new WeakMap<KeyRecord, Usage>();

  function usageOf(key: KeyRecord): Usage {
    let usage = usages.get(key);
    if (usage === undefined) {
      usage = {
        minute: algorithm(key.limits.perMinute, MINUTE_SECONDS, key),
        day: algorithm(key.limits.perDay, DAY_SECONDS, key),
      };
      usages.set(key, usage);
    }
    return usage;
  }

  return {
    decide: (key, now, request) => {
      const { minute, day } = usageOf(key);
      const isOpen = minute.remaining(now, request) > 0 && day.remaining(now, request) > 0;
      if (isOpen) {
        minute.count(now, request);
        day.count(now, request);
      } else {
        minute.countRefused?.(now);
        day.countRefused?.(now);
      }
      return decisionOn(key, { minute, day }, isOpen, { now, request });
    },
    look: (key, now) => {
      const { minute, day } = usageOf(key);
      const isOpen = minute.remaining(now) > 0 && day.remaining(now) > 0;
      return decisionOn(key, { minute, day }, isOpen, { now });
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
      algorithm = start();
      usages = new WeakMap();
    },
  };
}

interface Moment {
  readonly now: number;
  readonly request?: ServiceRequest;
}

function decisionOn(
  { limits }: KeyRecord,
  { minute, day }: Usage,
  accepted: boolean,
  { now, request }: Moment,
): Decision {
  const stateOf = (window: Window, limit: number): LimitState => ({
    limit,
    remaining: Math.max(0, window.remaining(now, request)),
    resetUnixSeconds: Math.ceil(window.resetsAt(now, request)),
  });
  const opensAt = accepted ? now : Math.max(minute.opensAt(now, request), day.opensAt(now, request));
  return {
    accepted,
    banned: false,
    retryAfterSeconds: accepted ? 0 : Math.max(1, Math.ceil(opensAt - now)),
    minute: stateOf(minute, limits.perMinute),
    day: stateOf(day, limits.perDay),
  };
}

/** The day if it leaves fewer requests than the minute, else the minute. */
export function tighterOf({ minute, day }: Decision): LimitState {
  return day.remaining < minute.remaining || day.remaining === 0 ? day : minute;
}
