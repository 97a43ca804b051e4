import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { shareOfTime } from './time-budget.ts';

function budgetOn(share: number, most: number, mostASecond = Number.MAX_SAFE_INTEGER) {
  const clock = { now: 0 };
  const budget = shareOfTime(share, most, mostASecond, () => clock.now);
  const spend = (milliseconds: number): void =>
    budget.spend(() => {
      clock.now += milliseconds;
    });
  return { clock, budget, spend };
}

test('what is spent comes back with the time, and adds up to the most at most', () => {
  const { clock, budget, spend } = budgetOn(0.1, 10);
  spend(20);
  expect(budget.isLeft()).toBe(false);
  clock.now += 99;
  expect(budget.isLeft()).toBe(false);
  clock.now += 2;
  expect(budget.isLeft()).toBe(true);
  clock.now += 1_000_000;
  spend(12);
  expect(budget.isLeft()).toBe(false);
});

test('so many pieces of work are done in a second, however short they are', () => {
  const { clock, budget, spend } = budgetOn(1, 1_000, 100);
  let done = 0;
  for (; clock.now < 10_000; clock.now += 1) {
    if (budget.isLeft()) {
      spend(0);
      done += 1;
    }
  }
  // Those saved up at the beginning, and those of ten seconds.
  expect(done).toBeGreaterThanOrEqual(1_099);
  expect(done).toBeLessThanOrEqual(1_100);
});

test('work that throws is paid for', () => {
  const { clock, budget } = budgetOn(0.1, 10);
  expect(() =>
    budget.spend(() => {
      clock.now += 100;
      throw new Error('broken');
    }),
  ).toThrow('broken');
  expect(budget.isLeft()).toBe(false);
});

test('whoever asks before each piece of work never takes more than the share', () => {
  const piece = fc.record({
    waited: fc.double({ min: 0, max: 50, noNaN: true }),
    takes: fc.double({ min: 0, max: 5, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 300 }),
      fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      (pieces, share) => {
        const { clock, budget, spend } = budgetOn(share, 10);
        let spent = 0;
        for (const { waited, takes } of pieces) {
          clock.now += waited;
          if (budget.isLeft()) {
            spend(takes);
            spent += takes;
          }
        }
        // The most at the beginning, and the last piece.
        expect(spent).toBeLessThanOrEqual(10 + share * clock.now + 5);
      },
    ),
  );
});
