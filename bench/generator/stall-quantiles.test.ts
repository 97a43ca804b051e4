import { expect, test } from 'vitest';

import { answeredAt } from '../../fixtures/load-targets/answer-times.ts';
import { stallQuantile } from './stall-quantiles.ts';

const STALLS = { periodMilliseconds: 2_000, stallMilliseconds: 200 };

test.each([
  [0.5, 0],
  [0.9, 0],
  [0.95, 100],
  [0.99, 180],
  [0.999, 198],
  [1, 200],
])('of a stall of 200 ms in 2 s, a share of %d waits no longer than %d ms', (share, milliseconds) => {
  expect(stallQuantile(STALLS, share)).toBeCloseTo(milliseconds);
});

test.each([
  { periodMilliseconds: 2_000, stallMilliseconds: 200 },
  { periodMilliseconds: 500, stallMilliseconds: 500 },
  { periodMilliseconds: 1_000, stallMilliseconds: 0 },
])('the server itself makes a whole period of requests wait like that: %o', (stalls) => {
  const waits = Array.from(
    { length: stalls.periodMilliseconds },
    (_, arrival) => answeredAt(stalls, arrival) - arrival,
  ).toSorted((left, right) => left - right);
  for (const share of [0.1, 0.5, 0.9, 0.95, 0.99]) {
    const wait = waits[Math.ceil(share * waits.length) - 1] ?? Number.NaN;
    // One request a millisecond comes, so a wait is that of the quantile or up to a millisecond more.
    expect(Math.abs(wait - stallQuantile(stalls, share))).toBeLessThanOrEqual(1);
  }
});
