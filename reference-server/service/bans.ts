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

/** What a key did that leads to a ban. */
export interface Conduct {
  /** Requests refused by a limit since the last accepted one. */
  refused: number;
  /** Unix seconds. */
  bannedUntil: number;
}

/**
 * Bans keys that go on after a 429; section "Behaviour at the limit".
 * @param rule `false` for a service that bans no one
 * @param begin what is kept of a key that comes for the first time
 */
export function withBans(
  limiter: RateLimiter,
  rule: Omit<BanRule, 'status'> | false,
  begin: () => Conduct = () => ({ refused: 0, bannedUntil: 0 }),
): RateLimiter {
  if (rule === false) {
    return limiter;
  }
  const { afterRefused, seconds, extended } = rule;
  let conducts = new WeakMap<KeyRecord, Conduct>();

  function conductOf(key: KeyRecord): Conduct {
    const conduct = conducts.get(key) ?? begin();
    conducts.set(key, conduct);
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
