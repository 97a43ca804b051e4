import { expect, test } from 'vitest';

import { seededRandom } from '../../contract/seeded-random.ts';
import { answeredAt } from '../../fixtures/answer-times.ts';
import { arrivals } from '../../load/index.ts';
import { countInBins, dispersionOf, stallQuantile, worstDeviation } from './schedule-figures.ts';

test('counts what lies in the bins, their lower ends included', () => {
  expect(countInBins([99, 100, 109.9, 110, 129, 130], 100, 10, 3)).toEqual([2, 1, 1]);
});

test('equal counts have no dispersion, a Poisson process one of about 1', () => {
  expect(dispersionOf([10, 10, 10])).toBe(0);
  expect(dispersionOf([0, 4])).toBe(2);
  const stages = [{ from: 1_000, to: 1_000, seconds: 100 }];
  const moments = [...arrivals(stages, 'poisson', seededRandom(1))];
  // Of 10,000 bins the standard error is about 0.014.
  expect(Math.abs(dispersionOf(countInBins(moments, 0, 10, 10_000)) - 1)).toBeLessThan(0.07);
});

test('the worst deviation is the largest one to either side', () => {
  expect(worstDeviation([10, 7, 12], [10, 10, 10])).toBe(3);
  expect(worstDeviation([10, 7, 14], [10, 10, 10])).toBe(4);
});

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
