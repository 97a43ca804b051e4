import { DAY_SECONDS, MINUTE_SECONDS, PLANS, type Plan } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { type LimitRefusal, answerInstead, changeLimitAnswers, firstOfKey } from '../alterations/answers.ts';
import { withIssuedKeys } from '../alterations/authentication.ts';
import {
  changeDecisions,
  changeDecisionsByKey,
  changeEachDecision,
  changeLimiter,
  enforce,
  grant,
  letPass,
  refuse,
} from '../alterations/decisions.ts';
import { everyNth } from '../alterations/requests.ts';
import { LIMIT_MEMBERS, UNLIMITED, type WindowName, changeWindow, lastFor } from '../alterations/windows.ts';
import type { Connection } from '../service/messages.ts';
import type { KeyRecord } from '../service/key-store.ts';
import { type Fault, NO_LASTING_BAN, breaking } from './fault.ts';
import { endsInSilence, windowsOf } from './limit-renews.ts';

/** Makes faults that grant keys of one plan another number of requests in a period than the headers show. */
function grantIn(period: WindowName) {
  const member = LIMIT_MEMBERS[period];
  return (id: string, title: string, plan: Plan, change: (limit: number) => number): Fault => ({
    id,
    title,
    breaks: `${period}-limit-${plan}`,
    alter: enforce(({ plan: own, limits }) =>
      own === plan ? { ...limits, [member]: change(limits[member]) } : limits,
    ),
  });
}

/** For each plan, one request more than its limit; then for each plan, one fewer. */
function grantOneOff(period: WindowName): readonly Fault[] {
  const offBy = (difference: number, id: string, words: string): readonly Fault[] =>
    PLANS.map((plan) =>
      grantIn(period)(
        `${period}-${plan}-${id}`,
        `Keys of the ${plan} plan get one request a ${period} ${words}`,
        plan,
        (limit) => limit + difference,
      ),
    );
  return [...offBy(1, 'one-more', 'too many'), ...offBy(-1, 'one-fewer', 'too few')];
}

const grantInMinute = grantIn('minute');

const WARM_UP_REQUESTS = 90;

const SPREAD_SECONDS = 10;

const isSixth = everyNth(6);

/** Requests of a key that were not limited. */
const granted = new WeakMap<object, number>();

const HOUR_SECONDS = 3_600;

const isThird = everyNth(3);

const known = new WeakSet<Connection>();

const grantInDay = grantIn('day');

// It is as short for each plan.
const OTHER_DAYS = ['day-limit-free', 'day-limit-pro', 'day-limit-business'] as const;

const isFifth = everyNth(5);

/** Answers with another status, and with Retry-After as before. */
export function answerWithStatus(
  status: number,
  applies: (refusal: LimitRefusal) => boolean = () => true,
): Alteration {
  return changeLimitAnswers((answer, refusal) =>
    applies(refusal) ? answerInstead(status, refusal.parts, answer) : answer,
  );
}

export const LIMITS_FAULTS: readonly Fault[] = [
  ...grantOneOff('minute'),
  grantInMinute('minute-free-unlimited', 'Free keys have no per-minute limit', 'free', () => UNLIMITED),
  grantInMinute('minute-pro-as-free', 'Pro keys get the per-minute limit of Free keys', 'pro', () => 60),
  grantInMinute(
    'minute-business-as-pro',
    'Business keys get the per-minute limit of Pro keys',
    'business',
    () => 300,
  ),
  grantInMinute(
    'minute-enterprise-as-business',
    'Enterprise keys get the per-minute limit of Business keys, whatever was agreed',
    'enterprise',
    () => 1_000,
  ),
  ...breaking('minute-limit-free', {
    'limit-lifted-by-the-ban': [
      'A key that should be banned for going on after a 429 is granted all that it asks for',
      changeEachDecision((decision) => (decision.banned ? grant(decision) : decision)),
      { alsoBreaks: ['minute-limit-enterprise'], excludes: ['no-ban'] },
    ],
    'no-minute-limited': [
      'No key has a per-minute limit',
      enforce(({ limits }) => ({ ...limits, perMinute: UNLIMITED })),
      { alsoBreaks: ['minute-limit-pro', 'minute-limit-business', 'minute-limit-enterprise'] },
    ],
    'minute-cut-short-when-issued': [
      'The first minute of a key grants a third of the limit, and X-RateLimit-Remaining says so',
      windowsOf('minute', (number, limit) => (number === 0 ? Math.ceil(limit / 3) : limit)),
      { alsoBreaks: ['minute-limit-pro', 'minute-limit-business', 'minute-limit-enterprise'] },
    ],
    'minute-leaks-one-in-six': [
      'One in six requests of a Free key beyond its per-minute limit is accepted',
      letPass(({ key }, _refused, parts) => key.plan === 'free' && isSixth(parts)),
      {
        // Such a window sets some free by itself, one after the other.
        excludes: ['sliding-counter'],
      },
    ],
    'minute-not-limited-in-warm-up': [
      'The first ninety requests of a key are not limited',
      letPass(({ key }, { minute }) => {
        const count = (granted.get(key) ?? minute.limit) + 1;
        granted.set(key, count);
        return count <= WARM_UP_REQUESTS;
      }),
    ],
    'minute-first-request-uncounted': [
      'The first request of a minute is not counted',
      changeWindow('minute', (algorithm) => (limit, seconds) => {
        const window = algorithm(limit, seconds);
        let wasSpared = false;
        return {
          ...window,
          count: (now) => {
            wasSpared = !wasSpared && window.remaining(now) === limit;
            if (!wasSpared) {
              window.count(now);
            }
          },
        };
      }),
    ],
    'minute-counts-updates-twice': [
      'An update counts as two requests',
      changeDecisions(
        (limiter) =>
          (decision, { key, now, request, operation }) =>
            decision.accepted && operation === 'updateInventory' && limiter.look(key, now).accepted
              ? limiter.decide(key, now, request)
              : decision,
      ),
    ],
    'minute-spread-over-its-seconds': [
      'At most a third of the per-minute limit is accepted within ten seconds',
      changeDecisionsByKey(
        () => ({ end: 0, granted: 0 }),
        (decision, { key, now }, slice) => {
          if (now >= slice.end) {
            slice.end = now + SPREAD_SECONDS;
            slice.granted = 0;
          }
          if (decision.accepted && slice.granted >= key.limits.perMinute / 3) {
            return refuse(decision, slice.end - now);
          }
          slice.granted += decision.accepted ? 1 : 0;
          return decision;
        },
      ),
    ],
    'issued-keys-limited-at-once': [
      'Issued keys are answered 429 from their first request on',
      withIssuedKeys((issued) =>
        changeEachDecision((decision, { key }) => (issued.has(key) ? refuse(decision, 60) : decision)),
      ),
    ],
  }),
  ...breaking('minute-limit-pro', {
    'minute-pro-three-more-in-a-half': [
      'In the second half of a minute of UTC, Pro keys are granted three requests beyond their per-minute limit',
      changeDecisionsByKey(
        () => ({ beyond: 0 }),
        (decision, { key, now }, minute) => {
          minute.beyond = decision.accepted ? 0 : minute.beyond + 1;
          const isMeant = key.plan === 'pro' && now % MINUTE_SECONDS >= MINUTE_SECONDS / 2;
          return isMeant && !decision.accepted && minute.beyond <= 3 ? grant(decision) : decision;
        },
      ),
    ],
  }),
  ...breaking('minute-limit-enterprise', {
    'minute-of-one-never-granted': [
      'A key with a per-minute limit of one is refused from its first request on',
      changeEachDecision((decision) => (decision.minute.limit === 1 ? refuse(decision, 60) : decision)),
    ],
    'minute-not-limited-as-it-ends': [
      'Nothing is limited in the last two seconds of a minute of UTC',
      letPass(({ now }) => now % MINUTE_SECONDS > MINUTE_SECONDS - 2),
      { alsoBreaks: ['minute-limit-free', 'minute-limit-pro', 'minute-limit-business'] },
    ],
    'minute-not-limited-as-a-day-begins': [
      'Nothing is limited in the first minute of a day of UTC',
      letPass(({ now }) => now % DAY_SECONDS < MINUTE_SECONDS),
      { alsoBreaks: ['minute-limit-free', 'minute-limit-pro', 'minute-limit-business'] },
    ],
  }),
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
  ...breaking('day-limit-free', {
    'day-leaks-one-in-three': [
      'One in three requests beyond the per-day limit is accepted',
      letPass((_asking, { day }, parts) => day.remaining === 0 && isThird(parts)),
    ],
    'day-unlimited-on-new-connections': [
      'The first request of a connection is never refused for the day',
      letPass(({ request: { connection } }, { day, minute }) => {
        const isFirst = !known.has(connection);
        known.add(connection);
        return isFirst && day.remaining === 0 && minute.remaining > 0;
      }),
    ],
    'day-checked-once-a-minute': [
      'The per-day limit is checked only when a minute begins',
      letPass(
        (_asking, { minute, day }) =>
          day.remaining === 0 && minute.remaining > 0 && minute.remaining < minute.limit,
      ),
    ],
  }),
  ...breaking('day-limit-enterprise', {
    'day-ends-in-silence': [
      'The day ends only when no request was accepted for a day',
      changeWindow('day', () => endsInSilence),
      {
        // What does not end does not renew.
        alsoBreaks: ['limit-renews'],
      },
    ],
    'day-of-an-hour': [
      'The day ends after an hour',
      lastFor('day', HOUR_SECONDS),
      { alsoBreaks: OTHER_DAYS },
    ],
    'day-of-twenty-hours': [
      'The day ends after twenty hours',
      lastFor('day', 20 * HOUR_SECONDS),
      {
        alsoBreaks: OTHER_DAYS,
        // It forgets the day before little by little.
        excludes: ['sliding-counter-of-the-day'],
      },
    ],
    'day-begins-anew-with-each-minute': [
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
      { alsoBreaks: OTHER_DAYS },
    ],
    'second-day-doubled': [
      'The second day of a key grants twice its limit',
      windowsOf('day', (number, limit) => (number === 1 ? 2 * limit : limit)),
      { alsoBreaks: OTHER_DAYS },
    ],
    'day-forgotten-by-a-ban': [
      'The count of the day restarts when a ban of the key is over',
      changeLimiter((limiter) => {
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
      { excludes: NO_LASTING_BAN },
    ],
  }),
  ...breaking('refusal-is-429', {
    'limit-answered-503': ['A request beyond a limit is answered 503', answerWithStatus(503)],
    'updates-at-limit-403': [
      'An update beyond a limit is answered 403',
      answerWithStatus(403, ({ asking }) => asking.operation === 'updateInventory'),
    ],
    'orders-at-limit-503': [
      'GET /store/orders beyond a limit is answered 503',
      answerWithStatus(503, ({ asking }) => asking.operation === 'listOrders'),
    ],
    'day-limit-answered-403': [
      'A request beyond the per-day limit is answered 403',
      answerWithStatus(403, ({ decision }) => decision.day.remaining === 0),
    ],
    'first-refusal-answered-503': [
      'The first request of a key beyond a limit is answered 503, later ones 429',
      answerWithStatus(503, firstOfKey()),
    ],
    'one-refusal-in-five-answered-503': [
      'One in five requests beyond a limit is answered 503',
      answerWithStatus(503, ({ parts }) => isFifth(parts)),
    ],
  }),
];
