import type { KeyRecord } from '../service/key-store.ts';
import { changeResponses, keyOf, withoutHeader } from '../alterations/response-changes.ts';
import type { Fault } from './fault.ts';
import { ban, changeDecisions, combine, grant, type DecisionChange } from '../alterations/limiter-changes.ts';

/** Without a ban that outlasts the limit there is nothing to see. */
const NO_BAN = ['no-ban', 'ban-of-five-seconds'];

/** Changes decisions on keys that are not banned any more. `start` is called at start and at each reset. */
function afterBan(start: () => DecisionChange): Fault['alter'] {
  return changeDecisions(() => {
    const banned = new WeakSet<object>();
    const change = start();
    return (decision, asking) => {
      if (decision.banned) {
        banned.add(asking.key);
        return decision;
      }
      return banned.has(asking.key) ? change(decision, asking) : decision;
    };
  });
}

function withoutRetryAfter(): Fault['alter'] {
  const freed = new WeakSet<KeyRecord>();
  return combine(
    afterBan(() => (decision, { key }) => {
      if (decision.accepted) {
        freed.add(key);
      }
      return decision;
    }),
    changeResponses((parts) => (response, request) => {
      const key = response.status === 429 ? keyOf(parts, request) : undefined;
      return key !== undefined && freed.has(key) ? withoutHeader(response, 'Retry-After') : response;
    }),
  );
}

/** What is wrong only with a key that was banned before. */
export const AFTER_BAN_FAULTS: readonly Fault[] = [
  {
    id: 'no-minute-limit-after-a-ban',
    title: 'A key that was banned once has no limit any more',
    breaks: 'limit-renews',
    excludes: NO_BAN,
    alter: afterBan(() => (decision) => (decision.accepted ? decision : grant(decision))),
  },
  {
    id: 'one-more-a-minute-after-a-ban',
    title: 'A key that was banned once is granted one request more each minute',
    breaks: 'limit-renews',
    excludes: NO_BAN,
    alter: afterBan(() => {
      const owed = new WeakSet<object>();
      return (decision, { key }) => {
        if (decision.accepted) {
          owed.add(key);
          return decision;
        }
        return owed.delete(key) ? grant(decision) : decision;
      };
    }),
  },
  {
    id: 'no-retry-after-after-a-ban',
    title: 'A 429 lacks Retry-After where the key was banned before',
    breaks: 'retry-after-present',
    excludes: NO_BAN,
    alter: withoutRetryAfter(),
  },
  {
    id: 'banned-again-at-the-next-429',
    title: 'The first 429 after a ban bans the key again for five minutes, of which it says nothing',
    breaks: 'retry-after-honoured',
    excludes: NO_BAN,
    alter: afterBan(() => {
      const ends = new WeakMap<object, number>();
      return (decision, { key, now }) => {
        const end = ends.get(key) ?? 0;
        if (now < end) {
          return ban(decision, end - now);
        }
        if (!decision.accepted) {
          ends.set(key, now + 300);
        }
        return decision;
      };
    }),
  },
  {
    id: 'banned-again-in-place-of-a-429',
    title: 'After a ban of 403 the first request beyond the limit is answered 403 again, not 429',
    breaks: 'ban-only-after-continued',
    excludes: NO_BAN,
    alter: combine(
      { parts: () => ({ banStatus: 403 }) },
      afterBan(() => (decision) => (decision.accepted ? decision : ban(decision, 300))),
    ),
  },
  {
    id: 'second-ban-longer-than-told',
    title: 'The second ban of a key lasts an hour longer than its Retry-After',
    breaks: 'ban-ends',
    // Where a ban does not tell its length, none can be wrong.
    excludes: [...NO_BAN, 'ban-by-401-without-retry-after'],
    alter: changeDecisions(() => {
      const bans = new WeakMap<object, { readonly count: number; readonly end: number }>();
      return (decision, { key, now }) => {
        const { count, end } = bans.get(key) ?? { count: 0, end: 0 };
        if (decision.banned) {
          const next = now < end ? count : count + 1;
          bans.set(key, { count: next, end: now + decision.retryAfterSeconds + (next > 1 ? 3_600 : 0) });
          return decision;
        }
        return now < end ? ban(decision, Math.min(60, end - now)) : decision;
      };
    }),
  },
];
