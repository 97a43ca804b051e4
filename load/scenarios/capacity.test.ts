import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { searchCapacity, type RateOutcome } from './capacity.ts';

/** Searches a target with a sharp limit, by a generator with one of its own. */
async function search(
  target: number,
  { from = 100, least = 1, ceiling = 20_000, generator = Number.POSITIVE_INFINITY } = {},
) {
  const tried: number[] = [];
  const finding = await searchCapacity(
    { from, least, ceiling },
    async (rate): Promise<RateOutcome> => {
      tried.push(rate);
      return rate > generator ? 'unsure' : rate > target ? 'failed' : 'held';
    },
    () => false,
  );
  return { ...finding, tried };
}

const rates = fc.integer({ min: 60, max: 15_000 });

test('a limit is found within 2 %, from any rate to begin with', async () => {
  await fc.assert(
    fc.asyncProperty(rates, fc.integer({ min: 10, max: 15_000 }), async (target, from) => {
      const { confirmed, generatorEndedAt, reachedCeiling, tried } = await search(target, { from });
      expect(confirmed).toBeLessThanOrEqual(target);
      expect(confirmed).toBeGreaterThanOrEqual(target * 0.98 - 1);
      expect({ generatorEndedAt, reachedCeiling }).toEqual({ generatorEndedAt: null, reachedCeiling: false });
      expect(Math.max(...tried)).toBeLessThanOrEqual(20_000);
    }),
  );
});

describe('the generator', () => {
  test('is said to have ended the search if it fails before the target', async () => {
    const { confirmed, generatorEndedAt } = await search(10_000, { generator: 3_000 });
    expect(confirmed).toBeLessThanOrEqual(3_000);
    expect(confirmed).toBeGreaterThan(2_900);
    expect(generatorEndedAt).toBeGreaterThan(3_000);
    expect(generatorEndedAt).toBeLessThan(3_100);
  });

  test('is not blamed if the target fails below', async () => {
    expect(await search(1_000, { from: 8_000, generator: 3_000 })).toMatchObject({ generatorEndedAt: null });
  });

  test('is not blamed if the ceiling held', async () => {
    const found = await search(50_000, { ceiling: 2_000, generator: 2_500 });
    expect(found).toMatchObject({ confirmed: 2_000, generatorEndedAt: null, reachedCeiling: true });
  });
});

test('a ceiling below the first rate is all that is tried', async () => {
  const { confirmed, tried } = await search(50_000, { from: 100, ceiling: 40 });
  expect([confirmed, tried]).toEqual([40, [40, 40]]);
});

test('what holds briefly but not for the whole duration is tried again a little below', async () => {
  const finding = await searchCapacity(
    { from: 100, ceiling: 20_000 },
    async (rate, phase) => (rate > (phase === 'confirm' ? 970 : 1_000) ? 'failed' : 'held'),
    () => false,
  );
  expect(finding.confirmed).toBeLessThanOrEqual(970);
  expect(finding.confirmed).toBeGreaterThan(940);
});

test('a target that holds nothing has no capacity, and the search ends', async () => {
  const { confirmed, tried } = await search(0);
  expect(confirmed).toBeNull();
  expect(tried.length).toBeLessThan(20);
});

test('no rate is tried or named that is too low to be told', async () => {
  const { confirmed, tried } = await search(4, { least: 6.25, from: 2 });
  expect([confirmed, tried]).toEqual([null, [6.25]]);
  expect((await search(0, { least: 6.25 })).tried.every((rate) => rate >= 6.25)).toBe(true);
  expect((await search(8, { least: 6.25 })).confirmed).toBeGreaterThanOrEqual(6.25);
});

test('nothing is tried any more once it is over', async () => {
  let tried = 0;
  const finding = await searchCapacity(
    { from: 100, ceiling: 20_000 },
    async () => {
      tried += 1;
      return 'held';
    },
    () => tried >= 3,
  );
  expect([tried, finding.confirmed]).toEqual([3, null]);
});
