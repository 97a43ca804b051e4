import type { Alteration } from '../alterations/alteration.ts';
import { ban, changeDecisions, changeLimiter, forgetMinute, refuse } from '../alterations/decisions.ts';
import { countTogether } from '../alterations/windows.ts';
import { type Fault, breaking } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest } from '../service/messages.ts';

const NEEDS_BAN = ['no-ban', 'ban-of-five-seconds', 'ban-after-one'];

/** Bans other keys, too, for as long as a banned key was told to wait. */
function banOthers(isHit: (banned: KeyRecord, other: KeyRecord) => boolean): Alteration {
  return changeDecisions(() => {
    let bans: readonly { readonly key: KeyRecord; readonly until: number }[] = [];
    return (decision, { key, now }) => {
      bans = bans.filter(({ until }) => now < until);
      if (decision.banned) {
        bans = [
          ...bans.filter((other) => other.key !== key),
          { key, until: now + decision.retryAfterSeconds },
        ];
        return decision;
      }
      const hit = bans.find((banned) => banned.key !== key && isHit(banned.key, key));
      return hit === undefined ? decision : ban(decision, hit.until - now);
    };
  });
}

/** A ban also applies to other keys that are used from the same address. */
export const banAddress: Alteration = changeDecisions(() => {
  const bans = new Map<string, number>();
  return (decision, { now, request }) => {
    const { remoteAddress } = request.connection;
    const until = bans.get(remoteAddress) ?? 0;
    if (decision.banned) {
      bans.set(remoteAddress, Math.max(until, now + decision.retryAfterSeconds));
    }
    return !decision.banned && now < until ? ban(decision, until - now) : decision;
  };
});

export const INDEPENDENCE_FAULTS: readonly Fault[] = [
  ...breaking('keys-independent-at-limit', {
    'keys-share-the-minute': {
      title: 'All keys share one per-minute limit',
      alter: countTogether('minute', () => ''),
    },
    'keys-of-a-plan-share-the-minute': {
      title: 'Keys of a plan share one per-minute limit',
      alter: countTogether('minute', ({ plan }) => plan),
    },
    'keys-share-the-day': {
      title: 'All keys share one per-day limit',
      alter: countTogether('day', () => ''),
    },
    'keys-of-a-plan-share-the-day': {
      title: 'Keys of a plan share one per-day limit',
      alter: countTogether('day', ({ plan }) => plan),
    },
    'limit-of-one-key-halts-all': {
      title: 'When a key exceeds a limit, every key is refused for five seconds',
      alter: changeDecisions(() => {
        let until = 0;
        return (decision, { now }) => {
          until = decision.accepted || now < until ? until : now + 5;
          return decision.accepted && now < until ? refuse(decision, until - now) : decision;
        };
      }),
    },
    'limit-of-one-key-halts-its-plan': {
      title: 'When a key exceeds a limit, every key of its plan is refused as long as that key',
      alter: changeDecisions(() => {
        const halted = new Map<string, number>();
        return (decision, { key, now }) => {
          const until = halted.get(key.plan) ?? 0;
          if (!decision.accepted && !decision.banned) {
            halted.set(key.plan, Math.max(until, now + decision.retryAfterSeconds));
          }
          return decision.accepted && now < until ? refuse(decision, until - now) : decision;
        };
      }),
    },
    'limit-of-one-key-charged-to-others': {
      title: 'Each request that a key makes beyond its limit counts against the keys that were used lately',
      alter: changeLimiter((limiter) => {
        const lately = new Map<KeyRecord, ServiceRequest>();
        return {
          decide: (key, now, request) => {
            const decision = limiter.decide(key, now, request);
            lately.set(key, request);
            if (!decision.accepted) {
              for (const [other, last] of lately) {
                if (other !== key && limiter.look(other, now).minute.remaining > 1) {
                  limiter.decide(other, now, last);
                }
              }
            }
            return decision;
          },
        };
      }),
    },
    'limit-of-one-key-renews-others': {
      title: 'When a key exceeds a limit, the minutes of the keys that were used lately start again',
      alter: changeLimiter((limiter) => {
        const lately = new Set<KeyRecord>();
        return {
          decide: (key, now, request) => {
            const decision = limiter.decide(key, now, request);
            lately.add(key);
            if (!decision.accepted) {
              lately.delete(key);
              lately.forEach((other) => forgetMinute(limiter, other, now));
              lately.clear();
            }
            return decision;
          },
        };
      }),
    },
    'requests-charged-to-the-key-before': {
      title: 'A request also counts against the previous key if that has the same plan',
      alter: changeLimiter((limiter) => {
        let before: KeyRecord | undefined;
        return {
          decide: (key, now, request) => {
            const decision = limiter.decide(key, now, request);
            const other = before === key || before?.plan !== key.plan ? undefined : before;
            before = key;
            if (other !== undefined && limiter.look(other, now).accepted) {
              limiter.decide(other, now, request);
            }
            return decision;
          },
        };
      }),
    },
  }),
  ...breaking('keys-independent-in-ban', {
    'ban-hits-all-keys': {
      title: 'While a key is banned, all keys are banned',
      excludes: NEEDS_BAN,
      alter: banOthers(() => true),
    },
    'ban-hits-the-plan': {
      title: 'While a key is banned, all keys of its plan are banned',
      excludes: NEEDS_BAN,
      alter: banOthers((banned, other) => banned.plan === other.plan),
    },
    'ban-hits-other-plans': {
      title: 'While a key is banned, all keys of other plans are banned',
      excludes: NEEDS_BAN,
      alter: banOthers((banned, other) => banned.plan !== other.plan),
    },
    'ban-hits-the-connection': {
      title: 'A ban also applies to other keys on a connection on which the banned key was refused',
      excludes: [...NEEDS_BAN, 'connections'],
      alter: changeDecisions(() => {
        const bans = new WeakMap<object, number>();
        return (decision, { now, request: { connection } }) => {
          const until = bans.get(connection) ?? 0;
          if (decision.banned) {
            bans.set(connection, now + decision.retryAfterSeconds);
          }
          return !decision.banned && now < until ? ban(decision, until - now) : decision;
        };
      }),
    },
    'ban-hits-the-address': {
      title: 'A ban also applies to other keys that are used from the same address',
      excludes: NEEDS_BAN,
      alter: banAddress,
    },
    'ban-takes-a-tenth-of-the-others': {
      title: 'While a key is banned, other keys show a tenth less of their limit',
      excludes: NEEDS_BAN,
      alter: changeDecisions(() => {
        let banned: { readonly key: KeyRecord; readonly until: number } | undefined;
        return (decision, { key, now }) => {
          if (decision.banned) {
            banned = { key, until: now + decision.retryAfterSeconds };
          }
          if (banned === undefined || banned.key === key || now >= banned.until) {
            return decision;
          }
          const { minute } = decision;
          const remaining = minute.remaining - Math.ceil(minute.limit / 10);
          return decision.accepted && remaining >= 0
            ? { ...decision, minute: { ...minute, remaining } }
            : refuse(decision, minute.resetUnixSeconds - now);
        };
      }),
    },
  }),
];
