import { expect, test } from 'vitest';

import { seededRandom } from '../../contract/seeded-random.ts';
import { arrivals } from '../../load/index.ts';
import { countInBins, dispersionOf, worstDeviation } from './dispersion.ts';

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
