import { MINUTE_SECONDS, PLAN_LIMITS } from '../../contract/plans.ts';
import type { Decision, LimitState } from '../service/rate-limiter.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Variant } from './variant.ts';

function describing(id: string, title: string, describe: (decision: Decision) => LimitState): Variant {
  return { id, title, freedom: 'described window', alter: { parts: () => ({ describe }) } };
}

function withoutKey(id: string, title: string, start: () => ServiceParts['describeWithoutKey']): Variant {
  return {
    id,
    title,
    freedom: 'headers without a key',
    alter: { parts: () => ({ describeWithoutKey: start() }) },
  };
}

function resetMoved(id: string, title: string, bySeconds: number): Variant {
  return {
    id,
    title,
    freedom: 'reset rounding',
    alter: {
      parts: ({ render }) => ({
        render: (answer, limit, now) =>
          render(answer, { ...limit, resetUnixSeconds: limit.resetUnixSeconds + bySeconds }, now),
      }),
    },
  };
}

const { perMinute } = PLAN_LIMITS.free;

/** Requests of everyone without a key, in minutes aligned to the clock; nobody is refused for them. */
function countStrangers(): (now: number) => LimitState {
  let minute = Number.NaN;
  let seen = 0;
  return (now) => {
    const current = Math.floor(now / MINUTE_SECONDS);
    seen = current === minute ? seen + 1 : 1;
    minute = current;
    return {
      limit: perMinute,
      remaining: Math.max(0, perMinute - seen),
      resetUnixSeconds: (current + 1) * MINUTE_SECONDS,
    };
  };
}

export const DESCRIBED_WINDOW_VARIANTS: readonly Variant[] = [
  describing('headers-describe-the-minute', 'The headers always describe the minute', ({ minute }) => minute),
  describing('headers-describe-the-day', 'The headers always describe the day', ({ day }) => day),
  describing(
    'headers-describe-the-day-once-it-is-used-up',
    'The headers describe the day only when nothing of it remains',
    ({ minute, day }) => (day.remaining === 0 ? day : minute),
  ),
  describing(
    'headers-describe-the-fuller-window',
    'The headers describe the window of which the greater part is used up',
    ({ minute, day }) => (day.remaining / day.limit < minute.remaining / minute.limit ? day : minute),
  ),

  withoutKey(
    'reset-now-without-a-key',
    'Without a key X-RateLimit-Reset is the present second',
    () => (now) => ({
      limit: 0,
      remaining: 0,
      resetUnixSeconds: Math.floor(now),
    }),
  ),
  withoutKey(
    'counted-without-a-key',
    'Requests without a key are counted together, though never refused for it',
    countStrangers,
  ),

  resetMoved('reset-rounded-down', 'X-RateLimit-Reset is rounded down to a second', -1),
  resetMoved('reset-a-second-later', 'X-RateLimit-Reset has a second to spare', 1),
];
