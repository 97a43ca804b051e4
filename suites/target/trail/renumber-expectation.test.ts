import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { TrailExpectation } from '../../../contract/trail.ts';
import { isAsExpected, type GivenAnswer } from './judge-expectation.ts';
import { renumberExpectation } from './renumber-expectation.ts';

const MOST = 12;
const number = fc.integer({ min: 1, max: MOST });
const row = fc
  .tuple(number, number)
  .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);
const rows = fc.array(row, { minLength: 1, maxLength: 3 });
const statuses = fc.subarray(['200', '429', '5xx'], { minLength: 1 });

const expectation: fc.Arbitrary<TrailExpectation> = fc.oneof(
  number.map((answer) => ({ expect: 'response', answer }) as const),
  fc.record({ expect: fc.constant('status' as const), answers: rows, oneOf: statuses }),
  fc.record({ expect: fc.constant('status' as const), answer: number, noneOf: statuses, refused: number }),
  fc.record({ expect: fc.constant('granted' as const), answers: rows, least: fc.nat(4), most: fc.nat(8) }),
  fc.record({ expect: fc.constant('limited' as const), answers: rows, most: fc.nat(4) }),
  fc.record({
    expect: fc.constant('fall' as const),
    from: number,
    to: number,
    most: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ expect: fc.constant('different remaining' as const), answers: rows }),
  fc.record({
    expect: fc.constant('number' as const),
    answer: number,
    name: fc.constant('X-RateLimit-Remaining'),
    least: fc.nat(5),
    most: fc.integer({ min: 5, max: 9 }),
  }),
);

const answer = fc
  .record({ status: fc.constantFrom(null, 200, 401, 429, 500), remaining: fc.nat(9), sentAt: fc.nat(1_000) })
  .map(({ status, remaining, sentAt }): GivenAnswer => ({
    status,
    headers: [
      ['X-RateLimit-Limit', '9'],
      ['X-RateLimit-Remaining', `${remaining}`],
      ['X-RateLimit-Reset', '60'],
    ],
    operation: 'listInventory',
    exchange: null,
    now: undefined,
    sentAt,
    endedAt: sentAt + 1,
  }));

test('what is expected of answers is expected of the same answers among others, whatever comes between them', () => {
  fc.assert(
    fc.property(
      expectation,
      fc.array(answer, { minLength: MOST, maxLength: MOST }),
      fc.array(fc.nat(3), { minLength: MOST, maxLength: MOST }),
      answer,
      (expected, own, gaps, other) => {
        const all: GivenAnswer[] = [];
        const places = own.map((one, index) => {
          all.push(...Array.from({ length: gaps[index] ?? 0 }, () => other), one);
          return all.length;
        });
        const renumbered = renumberExpectation(expected, (place) => places[place - 1] ?? 0);
        expect(isAsExpected(renumbered, all)).toBe(isAsExpected(expected, own));
      },
    ),
  );
});

test('answers that follow one another stay one row', () => {
  const granted = { expect: 'granted', answers: [[1, 100]], most: 60 } as const;
  expect(renumberExpectation(granted, (place) => place + 7)).toEqual({ ...granted, answers: [[8, 107]] });
});
