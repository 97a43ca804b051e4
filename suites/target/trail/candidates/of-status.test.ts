import { expect, test } from 'vitest';

import type { RequirementId } from '../../../../contract/requirements/index.ts';
import { newUsage, type Exchange, type Key, type RequestMessage } from '../../../oracle/index.ts';
import { listInventory, undocumented } from '../../http/operations.ts';
import { buildSteps } from '../build-trail.ts';
import { loggedRequest } from '../trail-log.test-data.ts';
import { candidatesOfStatus } from './of-status.ts';

const KEY: Key = {
  label: 'free#1',
  secret: 'secret',
  plan: 'free',
  limits: { perMinute: 60, perDay: 1_000 },
  issued: true,
  usedToday: 0,
  usage: newUsage(),
};

/** What is expected of the last of such requests, which a finding of this requirement says was answered wrongly. */
function expectationsOf(id: RequirementId, request: RequestMessage, status: number, earlier = 0) {
  const response = { status, headers: [], body: Buffer.alloc(0) };
  const events = Array.from({ length: earlier + 1 }, (_, at) => loggedRequest(KEY, { request, at, status }));
  const decisive = events.at(-1);
  if (decisive === undefined) {
    throw new Error('There is no request');
  }
  const exchange: Exchange = {
    request,
    authorization: null,
    key: KEY.label,
    response,
    sentAt: 0,
    receivedAt: 1,
    lostResponses: 0,
    durationMilliseconds: 1,
    startedAt: new Date(0),
  };
  const keys = new Map([[KEY.label, KEY]]);
  const common = { events, decisive, keys, revoked: [] };
  const steps = buildSteps({ ...common, clock: { at: () => undefined }, redact: String });
  const scene = { ...common, id, message: '', steps, exchange, answers: [] };
  return candidatesOfStatus(scene, events.length, {
    pets: null,
    other: { quantities: null, status: '', granted: [], refused: [] },
    named: new Set(),
  })
    .filter(({ about }) => about(id))
    .map(({ expectation }) => expectation);
}

test('what was answered 503 may be answered 429 the next time', () => {
  expect(expectationsOf('list-succeeds', listInventory(), 503)[0]).toMatchObject({
    oneOf: expect.arrayContaining(['200', '429']),
  });
});

test('what was answered 429 is not answered 429 the next time', () => {
  expect(expectationsOf('list-succeeds', listInventory(), 429)[0]).toMatchObject({
    oneOf: expect.not.arrayContaining(['429']),
  });
});

test('the status of a right refusal is not what was wrong with it', () => {
  const wrongMethod = undocumented('DELETE', '/inventory');
  expect(expectationsOf('method-not-allowed', wrongMethod, 404)).toEqual([
    { expect: 'status', answer: 1, noneOf: ['404'] },
  ]);
  expect(expectationsOf('method-not-allowed', wrongMethod, 405)).toEqual([]);
});

test('a key that had its minute may be banned by another target, with whatever status bans have', () => {
  const banned = expect.arrayContaining(['401', '403', '429']);
  expect(expectationsOf('list-succeeds', listInventory(), 400, 60)[0]).toMatchObject({ oneOf: banned });
  expect(expectationsOf('list-succeeds', listInventory(), 400, 59)[0]).not.toMatchObject({ oneOf: banned });
});

test('what is granted in another spelling of the path without a good key is not granted the next time', () => {
  const spelled = undocumented('GET', '/inventory/');
  expect(expectationsOf('unknown-key', spelled, 200)).toEqual([
    { expect: 'status', answer: 1, noneOf: ['200'] },
  ]);
  expect(expectationsOf('unknown-key', spelled, 404)).toEqual([]);
});
