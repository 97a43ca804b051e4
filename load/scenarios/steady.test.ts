import { expect, test } from 'vitest';

import { recoveryOf } from './steady.ts';

const secondsOf = (p99s: readonly (number | null)[]) =>
  p99s.map((p99, second) => ({
    second,
    scheduled: 1,
    sent: 1,
    answered: 1,
    lost: 0,
    statuses: {},
    p50: p99,
    p99,
    max: p99,
  }));

test.each([
  [10, [5, 5, 5, 80, 90, 40, 6], 'The response time recovered within 2 s after the spike.'],
  [10, [5, 5, 5, 80, 90, 40, 50], 'The response time did not recover after the spike.'],
  // Without a whole second before the spike, or after it, nothing is known.
  [3, [5, 50, 5], null],
  [10, [5, 5, 5, 80], null],
  [10, [], null],
])('the recovery of a spike of %i s with %j', (duration, p99s, said) => {
  expect(recoveryOf(secondsOf(p99s), duration)).toBe(said);
});
