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
