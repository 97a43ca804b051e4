import { expect, test } from 'vitest';
import { newUsage } from './keys.ts';
import { freeKey } from './monitors/watch.test-data.ts';
import { doubtfulPlans } from './plan-of-limit.ts';

function keyThatShows(limit: number, issued: boolean) {
  const last = { rateLimit: { limit, remaining: 1, reset: 1_790_000_060 }, receivedAt: 0 };
  return freeKey({ issued, usage: { ...newUsage(), last } });
}

test('asks of a configured key that shows the limit of another plan, and of no other', () => {
  expect(doubtfulPlans([keyThatShows(300, false)])).toEqual([
    expect.stringMatching(/^free#1 shows X-RateLimit-Limit 300, which is a limit of the plan pro: /),
  ]);
  // A thousand is the limit of a minute of Business, and of a day of Free.
  const own = [60, 1_000].map((limit) => keyThatShows(limit, false));
  expect(doubtfulPlans([...own, keyThatShows(61, false), keyThatShows(300, true), freeKey()])).toEqual([]);
});
