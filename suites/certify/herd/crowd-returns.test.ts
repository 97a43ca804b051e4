import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { limited, sampleRecord } from '../records/record.test-data.ts';
import type { ScenarioRecord } from '../records/record.ts';
import { crowdWaits, earlinessOf, growthOf, longestEndedWait, returnsOf } from './crowd-returns.ts';

const ASKED = [2, 4, 1, 1, 1];

/** A client that waits so long after each refusal, and is served then. */
function client(waits: readonly number[]): ScenarioRecord {
  let at = 0;
  const refusals = waits.map((wait, index) => {
    const refusal = limited(at, ASKED[index] ?? 1);
    at += wait;
    return refusal;
  });
  return sampleRecord({ exchanges: [...refusals, { at }] });
}

/** Clients that all take something off each wait, delayed by the machine as given. */
function crowd(taken: (asked: number) => number, delays: readonly number[]): readonly ScenarioRecord[] {
  return Array.from({ length: 16 }, (_, index) =>
    client(
      ASKED.map((asked, refusal) => asked - taken(asked) + (delays[(index + refusal) % delays.length] ?? 0)),
    ),
  );
}

/** A machine delays most requests by a few milliseconds, and some by many. */
const delays = fc.array(fc.oneof(fc.double({ min: 0, max: 0.003, noNaN: true }), fc.constant(0.2)), {
  minLength: 1,
  maxLength: 40,
});

function isCalm(values: readonly number[]): boolean {
  return values.filter((value) => value < 0.1).length >= values.length * 0.75;
}

describe('a client that comes back too early', () => {
  test('by 14 ms each time is told so, and that it is a constant', () => {
    fc.assert(
      fc.property(delays.filter(isCalm), (late) => {
        const { habit } = earlinessOf(crowdWaits(crowd(() => 0.014, late)));
        expect(habit?.kind).toBe('amount');
        expect(habit?.size).toBeGreaterThanOrEqual(11);
        expect(habit?.mostMilliseconds).toBeLessThanOrEqual(14);
      }),
    );
  });

  test('by 1 % each time is told so, and that it is a share', () => {
    const { habit } = earlinessOf(crowdWaits(crowd((asked) => asked / 100, [0])));
    expect(habit?.kind).toBe('share');
    expect(habit).toMatchObject({ size: 0.01, mostMilliseconds: 40 });
  });

  test('after waits of one length only is not said to take an amount or a share', () => {
    const records = Array.from({ length: 16 }, () => client([1.99]));
    expect(earlinessOf(crowdWaits(records)).habit).toMatchObject({ kind: 'unknown' });
  });

  test('a few times only has no habit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), (times) => {
        const exact = crowd(() => 0, [0.002]).slice(times);
        const records = [...exact, ...Array.from({ length: times }, () => client([2, 3.986]))];
        expect(earlinessOf(crowdWaits(records))).toMatchObject({ early: times, habit: null });
      }),
    );
  });
});

describe('what is waited beyond Retry-After', () => {
  test('grows with an exponential backoff', () => {
    const records = Array.from({ length: 4 }, () =>
      client(ASKED.map((asked, index) => asked + 0.1 * 2 ** index)),
    );
    expect(growthOf(crowdWaits(records))).toBe('growing');
  });

  test('does not grow for a client that waits exactly', () => {
    expect(growthOf(crowdWaits(crowd(() => 0, [0.003])))).toBe('constant');
  });

  test('grows with a backoff that ignores Retry-After', () => {
    const records = Array.from({ length: 4 }, () => client(ASKED.map((_, index) => 0.1 * 2 ** index)));
    expect(growthOf(crowdWaits(records))).toBe('growing');
  });

  test('is not told by two refusals', () => {
    expect(growthOf(crowdWaits([client([2.1, 4.2])]))).toBe('too few');
  });
});

test('refusals that nobody came back from are none', () => {
  expect(crowdWaits([sampleRecord({ exchanges: [limited(0, 2)] })])).toEqual([]);
});

test('the longest wait that was seen to its end is one that was not cut short', () => {
  expect(longestEndedWait([client([2, 4]), client([2.1, 3.5])])).toBe(4);
  expect(longestEndedWait([client([2.1, 3.5])])).toBe(2);
  expect(longestEndedWait([client([1.5])])).toBeNull();
});

test('the spread counts the busiest stretch of 100 ms, wherever it lies', () => {
  const returned = [0, 0.5, 0.55, 0.59, 1].map((after) => client([2 + after]));
  expect(crowdWaits(returned).map(returnsOf)).toMatchObject([
    { retryAfterSeconds: 2, range: 1_000, interquartileRange: 90, busiestShare: 0.6 },
  ]);
  expect(crowdWaits([client([5])]).map(returnsOf)).toMatchObject([
    { range: 0, interquartileRange: 0, busiestShare: 1 },
  ]);
});
