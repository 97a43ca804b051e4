import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeLimiter, letPass } from '../alterations/decisions.ts';
import { changeWindow, lastFor, UNLIMITED } from '../alterations/windows.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { type Fault, NO_LASTING_BAN } from './fault.ts';
import { endsInSilence } from './limit-renews.ts';
import { grantIn, grantOneOff } from '../alterations/granted-limit.ts';

const HOUR_SECONDS = 3_600;

const grantInDay = grantIn('day');

function dayFault(id: string, title: string, alter: Alteration): Fault {
  return { id, title, breaks: 'day-limit-free', alter };
}

/** A day that ends too early shows on one that is so small that a key can use it up again and again. */
function shortDay(id: string, title: string, alter: Alteration, excludes: readonly string[] = []): Fault {
  return { id, title, breaks: 'day-limit-enterprise', alsoBreaks: OTHER_DAYS, excludes, alter };
}

// It is as short for each plan.
const OTHER_DAYS = ['day-limit-free', 'day-limit-pro', 'day-limit-business'] as const;

export const DAY_LIMIT_FAULTS: readonly Fault[] = [
  ...grantOneOff('day'),
  grantInDay('day-free-unlimited', 'Free keys have no per-day limit', 'free', () => UNLIMITED),
  grantInDay('day-pro-as-business', 'Pro keys get the per-day limit of Business keys', 'pro', () => 100_000),
  grantInDay(
    'day-enterprise-as-business',
    'Enterprise keys get at most the per-day limit of Business keys',
    'enterprise',
    (limit) => Math.min(limit, 100_000),
  ),
  grantInDay(
    'day-business-as-pro',
    'Business keys get the per-day limit of Pro keys',
    'business',
    () => 10_000,
  ),
  grantInDay(
    'day-enterprise-in-hundreds',
    'The agreed per-day limit of Enterprise keys is rounded up to hundreds',
    'enterprise',
    (limit) => Math.ceil(limit / 100) * 100,
  ),
  dayFault(
    'day-leaks-one-in-three',
    'One in three requests beyond the per-day limit is accepted',
    letPass(() => {
      let refused = 0;
      return (_, { day }) => {
        refused += Number(day.remaining === 0);
        return day.remaining === 0 && refused % 3 === 0;
      };
    }),
  ),
  {
    id: 'day-ends-in-silence',
    title: 'The day ends only when no request was accepted for a day',
    breaks: 'day-limit-enterprise',
    // What does not end does not renew.
    alsoBreaks: ['limit-renews'],
    alter: changeWindow('day', () => endsInSilence),
  },
  shortDay('day-of-an-hour', 'The day ends after an hour', lastFor('day', HOUR_SECONDS)),
  shortDay('day-of-twenty-hours', 'The day ends after twenty hours', lastFor('day', 20 * HOUR_SECONDS), [
    // It forgets the day before little by little.
    'sliding-counter',
    'sliding-counter-of-the-day',
  ]),
  shortDay(
    'day-begins-anew-with-each-minute',
    'The count of the day restarts when a minute has passed',
    changeWindow('day', (algorithm) => (limit, seconds) => {
      let window = algorithm(limit, seconds);
      let end = Number.POSITIVE_INFINITY;
      const current = (now: number) => {
        if (now >= end) {
          window = algorithm(limit, seconds);
          end = Number.POSITIVE_INFINITY;
        }
        return window;
      };
      return {
        ...window,
        remaining: (now) => current(now).remaining(now),
        count: (now) => {
          current(now).count(now);
          end = Math.min(end, now + MINUTE_SECONDS);
        },
        giveBack: () => window.giveBack(),
        opensAt: (now) => current(now).opensAt(now),
        resetsAt: (now) => current(now).resetsAt(now),
        countEarlier: (requests, now) => window.countEarlier(requests, now),
      };
    }),
  ),
  {
    id: 'day-forgotten-by-a-ban',
    title: 'The count of the day restarts when a ban of the key is over',
    breaks: 'day-limit-enterprise',
    excludes: NO_LASTING_BAN,
    alter: changeLimiter((limiter) => {
      const banned = new WeakSet<KeyRecord>();
      return {
        decide: (key, now, request) => {
          const { banned: isBanned, day } = limiter.look(key, now);
          if (!isBanned && banned.delete(key)) {
            for (let used = day.limit - day.remaining; used > 0; used -= 1) {
              limiter.giveBack(key);
            }
          }
          const decision = limiter.decide(key, now, request);
          if (decision.banned) {
            banned.add(key);
          }
          return decision;
        },
      };
    }),
  },
  dayFault(
    'day-checked-once-a-minute',
    'The per-day limit is checked only when a minute begins',
    letPass(
      () =>
        (_, { minute, day }) =>
          day.remaining === 0 && minute.remaining > 0 && minute.remaining < minute.limit,
    ),
  ),
];
