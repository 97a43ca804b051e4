import type { Alteration } from '../alterations/alteration.ts';
import {
  ban,
  changeDecisions,
  changeLimiter,
  chargeKeyBefore,
  forgetMinute,
  refuse,
} from '../alterations/decisions.ts';
import { countTogether } from '../alterations/windows.ts';
import { type Fault, breaking } from './fault.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { Connection, ServiceRequest } from '../service/messages.ts';

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

/** A ban also applies to other keys that are used from the same place. */
function banPlace(placeOf: (connection: Connection) => unknown): Alteration {
  return changeDecisions(() => {
    const bans = new Map<unknown, number>();
    return (decision, { now, request: { connection } }) => {
      const place = placeOf(connection);
      const until = bans.get(place) ?? 0;
      if (decision.banned) {
        bans.set(place, Math.max(until, now + decision.retryAfterSeconds));
      }
      return !decision.banned && now < until ? ban(decision, until - now) : decision;
    };
  });
}

export const banAddress = banPlace(({ remoteAddress }) => remoteAddress);

export const INDEPENDENCE_FAULTS: readonly Fault[] = [
  ...breaking('keys-independent-at-limit', {
    'keys-share-the-minute': ['All keys share one per-minute limit', countTogether('minute', () => '')],
    'keys-of-a-plan-share-the-minute': [
      'Keys of a plan share one per-minute limit',
      countTogether('minute', ({ plan }) => plan),
    ],
    'keys-share-the-day': ['All keys share one per-day limit', countTogether('day', () => '')],
    'keys-of-a-plan-share-the-day': [
      'Keys of a plan share one per-day limit',
      countTogether('day', ({ plan }) => plan),
    ],
    'limit-of-one-key-halts-all': [
      'When a key exceeds a limit, every key is refused for five seconds',
      changeDecisions(() => {
        let until = 0;
        return (decision, { now }) => {
          until = decision.accepted || now < until ? until : now + 5;
          return decision.accepted && now < until ? refuse(decision, until - now) : decision;
        };
      }),
    ],
    'limit-of-one-key-halts-its-plan': [
      'When a key exceeds a limit, every key of its plan is refused as long as that key',
      changeDecisions(() => {
        const halted = new Map<string, number>();
        return (decision, { key, now }) => {
          const until = halted.get(key.plan) ?? 0;
          if (!decision.accepted && !decision.banned) {
            halted.set(key.plan, Math.max(until, now + decision.retryAfterSeconds));
          }
          return decision.accepted && now < until ? refuse(decision, until - now) : decision;
        };
      }),
    ],
    'limit-of-one-key-charged-to-others': [
      'Each request that a key makes beyond its limit counts against the keys that were used lately',
      changeLimiter((limiter) => {
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
    ],
    'limit-of-one-key-renews-others': [
      'When a key exceeds a limit, the minutes of the keys that were used lately start again',
      changeLimiter((limiter) => {
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
    ],
    'requests-charged-to-the-key-before': [
      'A request also counts against the previous key if that has the same plan',
      chargeKeyBefore((before, key) => before.plan === key.plan),
    ],
  }),
  ...breaking('keys-independent-in-ban', {
    'ban-hits-all-keys': [
      'While a key is banned, all keys are banned',
      banOthers(() => true),
      { excludes: NEEDS_BAN },
    ],
    'ban-hits-the-plan': [
      'While a key is banned, all keys of its plan are banned',
      banOthers((banned, other) => banned.plan === other.plan),
      { excludes: NEEDS_BAN },
    ],
    'ban-hits-other-plans': [
      'While a key is banned, all keys of other plans are banned',
      banOthers((banned, other) => banned.plan !== other.plan),
      { excludes: NEEDS_BAN },
    ],
    'ban-hits-the-connection': [
      'A ban also applies to other keys on a connection on which the banned key was refused',
      banPlace((connection) => connection),
      { excludes: [...NEEDS_BAN, 'connections'] },
    ],
    'ban-hits-the-address': [
      'A ban also applies to other keys that are used from the same address',
      banAddress,
      { excludes: NEEDS_BAN },
    ],
    'ban-takes-a-tenth-of-the-others': [
      'While a key is banned, other keys show a tenth less of their limit',
      changeDecisions(() => {
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
      { excludes: NEEDS_BAN },
    ],
  }),
];
