import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { withIssuedKeys } from '../alterations/authentication.ts';
import { changeDecisions, grant, letPass, refuse } from '../alterations/decisions.ts';
import { everyNth } from '../alterations/requests.ts';
import { changeWindow, UNLIMITED } from '../alterations/windows.ts';
import type { Fault } from './fault.ts';
import { grantIn, grantOneOff } from '../alterations/granted-limit.ts';

const grantInMinute = grantIn('minute');

const WARM_UP_REQUESTS = 90;

const SPREAD_SECONDS = 10;

export const MINUTE_LIMIT_FAULTS: readonly Fault[] = [
  ...grantOneOff('minute'),
  {
    id: 'limit-lifted-by-the-ban',
    title: 'A key that should be banned for going on after a 429 is granted all that it asks for',
    breaks: 'minute-limit-free',
    alsoBreaks: ['minute-limit-enterprise'],
    excludes: ['no-ban'],
    alter: changeDecisions(() => (decision) => (decision.banned ? grant(decision) : decision)),
  },
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
  {
    id: 'minute-leaks-one-in-six',
    title: 'One in six requests of a Free key beyond its per-minute limit is accepted',
    breaks: 'minute-limit-free',
    // Such a window sets some free by itself, one after the other.
    excludes: ['sliding-counter', 'sliding-counter-of-the-minute'],
    alter: letPass(() => {
      const isNext = everyNth(6);
      return ({ key }) => key.plan === 'free' && isNext();
    }),
  },
  {
    id: 'minute-not-limited-as-it-ends',
    title: 'Nothing is limited in the last two seconds of a minute of UTC',
    breaks: 'minute-limit-enterprise',
    alsoBreaks: ['minute-limit-free', 'minute-limit-pro', 'minute-limit-business'],
    alter: letPass(
      () =>
        ({ now }) =>
          now % MINUTE_SECONDS > MINUTE_SECONDS - 2,
    ),
  },
  {
    id: 'minute-not-limited-in-warm-up',
    title: 'The first ninety requests of a key are not limited',
    breaks: 'minute-limit-free',
    alter: letPass(() => {
      const granted = new WeakMap<object, number>();
      return ({ key }, { minute }) => {
        const count = (granted.get(key) ?? minute.limit) + 1;
        granted.set(key, count);
        return count <= WARM_UP_REQUESTS;
      };
    }),
  },
  {
    id: 'minute-first-request-uncounted',
    title: 'The first request of a minute is not counted',
    breaks: 'minute-limit-free',
    alter: changeWindow('minute', (algorithm) => (limit, seconds) => {
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
  },
  {
    id: 'minute-counts-updates-twice',
    title: 'An update counts as two requests',
    breaks: 'minute-limit-free',
    alter: changeDecisions(
      (limiter) =>
        (decision, { key, now, request, operation }) =>
          decision.accepted && operation === 'updateInventory' && limiter.look(key, now).accepted
            ? limiter.decide(key, now, request)
            : decision,
    ),
  },
  {
    id: 'minute-spread-over-its-seconds',
    title: 'At most a third of the per-minute limit is accepted within ten seconds',
    breaks: 'minute-limit-free',
    alter: changeDecisions(() => {
      const recent = new WeakMap<object, { end: number; granted: number }>();
      return (decision, { key, now }) => {
        const last = recent.get(key);
        const slice = last !== undefined && now < last.end ? last : { end: now + SPREAD_SECONDS, granted: 0 };
        recent.set(key, slice);
        if (!decision.accepted || slice.granted >= key.limits.perMinute / 3) {
          return decision.accepted ? refuse(decision, slice.end - now) : decision;
        }
        slice.granted += 1;
        return decision;
      };
    }),
  },
  {
    id: 'issued-keys-limited-at-once',
    title: 'Issued keys are answered 429 from their first request on',
    breaks: 'minute-limit-free',
    alter: withIssuedKeys((issued) =>
      changeDecisions(
        () =>
          (decision, { key }) =>
            issued.has(key) ? refuse(decision, 60) : decision,
      ),
    ),
  },
];
