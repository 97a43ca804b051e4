import type { KeyRecord } from './key-store.ts';
import type { Decision, RateLimiter } from './rate-limiter.ts';

export interface BanRule {
  /** Refused requests after the first 429, without a wait until the limit has passed, that lead to the ban. */
  readonly afterRefused: number;
  readonly seconds: number;
  readonly status: 401 | 403 | 429;
  /** Whether each request of a banned key begins the ban anew. */
  readonly extended: boolean;
}

interface Conduct {
  /** Requests refused by a limit since the last accepted one. */
  refused: number;
  bannedUntil: number;
}

/**
 * Bans keys that go on after a 429; section "Behaviour at the limit".
 * @param rule `false` for a service that bans no one
 */
export function withBans(limiter: RateLimiter, rule: Omit<BanRule, 'status'> | false): RateLimiter {
  if (rule === false) {
    return limiter;
  }
  const { afterRefused, seconds, extended } = rule;
  let conducts = new WeakMap<KeyRecord, Conduct>();

  function conductOf(key: KeyRecord): Conduct {
    let conduct = conducts.get(key);
    if (conduct === undefined) {
      conduct = { refused: 0, bannedUntil: 0 };
      conducts.set(key, conduct);
    }
    return conduct;
  }

  return {
    ...limiter,
    decide: (key, now, request) => {
      const conduct = conductOf(key);
      if (now < conduct.bannedUntil) {
        conduct.bannedUntil = extended ? now + seconds : conduct.bannedUntil;
        return banned(limiter.look(key, now), conduct.bannedUntil - now);
      }
      const decision = limiter.decide(key, now, request);
      conduct.refused = decision.accepted ? 0 : conduct.refused + 1;
      if (conduct.refused <= afterRefused) {
        return decision;
      }
      conduct.refused = 0;
      conduct.bannedUntil = now + seconds;
      return banned(decision, seconds);
    },
    look: (key, now) => {
      const decision = limiter.look(key, now);
      const left = conductOf(key).bannedUntil - now;
      return left > 0 ? banned(decision, left) : decision;
    },
    reset: () => {
      conducts = new WeakMap();
      limiter.reset();
    },
  };
}

function banned(decision: Decision, seconds: number): Decision {
  return {
    accepted: false,
    banned: true,
    retryAfterSeconds: Math.max(decision.retryAfterSeconds, Math.ceil(seconds)),
    minute: { ...decision.minute, remaining: 0 },
    day: decision.day,
  };
}
