import { expect, test } from 'vitest';

import type { TrailExpectation } from '../../../contract/trail.ts';
import { condense, type Exchange } from '../../oracle/index.ts';
import { listInventory } from '../http/operations.ts';
import { isAsExpected, type GivenAnswer } from './judge-expectation.ts';

const LISTED = '[{"petId":7,"quantity":5,"status":"sold"}]';

function answer(status: number, body = '{}'): GivenAnswer {
  const exchange: Exchange = {
    request: listInventory(),
    authorization: null,
    key: null,
    response: condense({ status, headers: [], body: Buffer.from(body) }),
    sentAt: 0,
    receivedAt: 1,
    lostResponses: 0,
    durationMilliseconds: 1,
    startedAt: new Date(0),
  };
  return { status, headers: [], operation: 'listInventory', exchange, now: undefined, sentAt: 0, endedAt: 1 };
}

/** An answer with Remaining and Reset of a limit of two. */
function counted(status: number, remaining: number, reset: number): GivenAnswer {
  const headers = [
    ['X-RateLimit-Limit', '2'],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(reset)],
  ] as const;
  return { ...answer(status), headers };
}

const SET_TO_4: TrailExpectation = {
  expect: 'pet',
  answer: 3,
  petId: '7',
  isThere: true,
  quantities: ['4'],
  granted: [[1, 2]],
};

test('a pet stands as it was set, if one of the updates at once was granted', () => {
  expect(isAsExpected(SET_TO_4, [answer(429), answer(200), answer(200, LISTED)])).toBe(false);
});

test('what a limit refused shows nothing', () => {
  expect(isAsExpected(SET_TO_4, [answer(429), answer(429), answer(200, LISTED)])).toBe(true);
});

test('nor does what an update set it to that was refused before', () => {
  const left: TrailExpectation = { ...SET_TO_4, granted: [[1, 1]], refused: [[2, 2]] };
  expect(isAsExpected(left, [answer(200), answer(401), answer(200, LISTED)])).toBe(false);
  expect(isAsExpected(left, [answer(200), answer(200), answer(200, LISTED)])).toBe(true);
});

const AT_MOST_TWO: TrailExpectation = {
  expect: 'granted',
  answers: [[1, 3]],
  most: 2,
  within: 60,
  isOneWindow: true,
};

test('more than a window grants is too much, unless its Reset says that another one began', () => {
  const third = counted(200, 1, 160);
  expect(isAsExpected(AT_MOST_TWO, [counted(200, 1, 100), counted(200, 0, 100), third])).toBe(true);
  expect(isAsExpected(AT_MOST_TWO, [counted(200, 1, 130), counted(200, 0, 130), third])).toBe(false);
});

test('requests that are a whole window apart are of two', () => {
  const late = { ...counted(200, 1, 100), sentAt: 59_999, endedAt: 60_000 };
  expect(isAsExpected(AT_MOST_TWO, [counted(200, 1, 100), counted(200, 0, 100), late])).toBe(true);
});

test('of those that are answered 429 there may be so many', () => {
  const expectation: TrailExpectation = { expect: 'limited', answers: [[1, 3]], most: 1 };
  expect(isAsExpected(expectation, [answer(200), answer(429), answer(403)])).toBe(true);
  expect(isAsExpected(expectation, [answer(200), answer(429), answer(429)])).toBe(false);
});

test('no Remaining of a window is told twice', () => {
  const expectation: TrailExpectation = { expect: 'different remaining', answers: [[1, 2]] };
  expect(isAsExpected(expectation, [counted(200, 1, 100), counted(200, 1, 160)])).toBe(true);
  expect(isAsExpected(expectation, [counted(200, 1, 100), counted(200, 1, 100)])).toBe(false);
});

test('Remaining falls, unless a window has begun with as many requests as were sent since', () => {
  const expectation: TrailExpectation = { expect: 'fall', from: 1, to: 2, most: 1 };
  expect(isAsExpected(expectation, [counted(200, 0, 100), counted(200, 1, 160)])).toBe(true);
  expect(isAsExpected(expectation, [counted(200, 0, 100), counted(200, 2, 160)])).toBe(false);
  expect(isAsExpected(expectation, [counted(200, 0, 100), counted(200, 1, 100)])).toBe(false);
});
