import { expect, test } from 'vitest';

import { DAY_SECONDS, MINUTE_SECONDS, PLAN_LIMITS, PLANS } from './plans.ts';

test('the plans have the limits of the specification', () => {
  expect(PLANS).toEqual(['free', 'pro', 'business', 'enterprise']);
  expect(PLAN_LIMITS).toEqual({
    free: { perMinute: 60, perDay: 1_000 },
    pro: { perMinute: 300, perDay: 10_000 },
    business: { perMinute: 1_000, perDay: 100_000 },
  });
});

test('a day is 24 hours of 60 minutes', () => {
  expect(DAY_SECONDS).toBe(24 * 60 * MINUTE_SECONDS);
});
