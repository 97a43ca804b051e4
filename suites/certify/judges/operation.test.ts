import { expect, test } from 'vitest';

import {
  ENDED,
  judgeSample,
  LIST_TASK,
  limited,
  sampleRecord,
  update,
  UNKNOWN,
  UPDATE_TASK,
  type RecordedSample,
} from '../records/record.test-data.ts';
import { operation } from './operation.ts';
import { repeats } from './repeats.ts';

const ID = 'client-operation';

test.each([
  '/v1/inventory',
  '/v1/inventory/',
  '/v1/inventory?',
  '/v1/%69nventory',
  '/v1/./inventory',
  'http://127.0.0.1:8080/v1/inventory',
  // Query parameters are not shown.
  '/v1/inventory?_=1790000000',
])('takes GET %s for the list', (target) => {
  expect(judgeSample(operation, { exchanges: [{ target }] }).judged).toEqual({ [ID]: 'pass' });
});

test.each([
  ['GET', '/inventory', 'not under the base address'],
  ['GET', '/v2/inventory', 'not under the base address'],
  ['GET', '/', 'not under the base address'],
  ['GET', '*', 'not under the base address'],
  ['GET', '/v1/v1/inventory', 'GET /v1/inventory was expected'],
  ['GET', '/v1//inventory', 'GET /v1/inventory was expected'],
  ['GET', '/v1/Inventory', 'GET /v1/inventory was expected'],
  ['GET', '/v1/inventory/1', 'GET /v1/inventory was expected'],
  ['GET', '/v1/pets', 'GET /v1/inventory was expected'],
  ['POST', '/v1/inventory', 'POST /v1/inventory was sent'],
  ['HEAD', '/v1/inventory', 'HEAD /v1/inventory was sent'],
  ['OPTIONS', '/v1/inventory', 'OPTIONS /v1/inventory was sent'],
])('does not take %s %s for it', (method, target, message) => {
  const said = judgeSample(operation, { exchanges: [{ method, target }] });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining(message)]);
});

test.each([
  ['PATCH', '/v1/inventory/9007199254740993', 'pass'],
  ['PATCH', '/v1/inventory/9007199254740993/', 'pass'],
  // Which pet it names is another judge's to say.
  ['PATCH', '/v1/inventory/1', 'pass'],
  ['PUT', '/v1/inventory/9007199254740993', 'fail'],
  ['POST', '/v1/inventory/9007199254740993', 'fail'],
  ['PATCH', '/v1/inventory', 'fail'],
  ['PATCH', '/v1/inventory/', 'fail'],
  ['PATCH', '/v1/inventory/9007199254740993/quantity', 'fail'],
])('of an update by %s %s says %s', (method, target, outcome) => {
  expect(
    judgeSample(operation, { task: UPDATE_TASK, exchanges: [update({ method, target })] }).judged,
  ).toEqual({
    [ID]: outcome,
  });
});

test('finds a request besides the operation', () => {
  const said = judgeSample(operation, {
    task: UPDATE_TASK,
    exchanges: [{ method: 'GET', target: '/v1/inventory' }, update({ at: 1 })],
  });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.evidence).toHaveLength(1);
});

test('lets retries pass, and what was sent before the 200 was there', () => {
  const exchanges = [limited(0, 1), { at: 1 }];
  expect(judgeSample(operation, { exchanges }).judged).toEqual({ [ID]: 'pass' });
  const hedged = [
    { at: 0, answeredAt: 2.5 },
    { at: 1, answeredAt: 3.5 },
  ];
  expect(judgeSample(operation, { exchanges: hedged }).judged).toEqual({ [ID]: 'pass' });
});

test('does not let it be sent again after a 200, unless by hand', () => {
  const exchanges = [{ at: 0 }, { at: 0.5 }];
  const said = judgeSample(operation, { exchanges });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining('sent once more at 0.50 s')]);
  expect(judgeSample(operation, { exchanges, outcome: UNKNOWN }).judged).toEqual({ [ID]: 'pass' });
});

const twice = (status: number) => [
  { at: 0, answeredAt: 0.0005, status, connection: 1 },
  { at: 0.002, status, connection: 2 },
];

test('does not let it be sent twice at the same moment, and calls that no repeat', () => {
  const said = judgeSample(operation, { exchanges: twice(200) });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining('at the same moment')]);
  expect(judgeSample(repeats, { exchanges: twice(404) }).judged).toEqual({
    'client-does-not-repeat-refused': 'pass',
  });
});

test('leaves a preflight to the browser', () => {
  const preflight = {
    method: 'OPTIONS',
    authorization: [],
    requestHeaders: [['Access-Control-Request-Method', 'GET']] as const,
    status: 204,
  };
  expect(judgeSample(operation, { exchanges: [preflight, { at: 1 }] }).judged).toEqual({ [ID]: 'pass' });
});

test('if nothing arrived, fails only a client that had its chance', () => {
  const { outcome } = sampleRecord({ task: LIST_TASK });
  expect(judgeSample(operation, { exchanges: [], outcome }).judged).toEqual({ [ID]: 'fail' });
  const silent = { exchanges: [], outcome: ENDED, endedFor: 'silence' } as const;
  expect(judgeSample(operation, silent).judged).toEqual({ [ID]: 'fail' });
  expect(judgeSample(operation, { ...silent, endedFor: 'interruption' }).judged).toEqual({ [ID]: 'skip' });
  expect(judgeSample(operation, { exchanges: [], outcome: UNKNOWN }).judged).toEqual({ [ID]: 'skip' });
  const broken = { kind: 'broken', problem: 'It crashed.', output: '' } as const;
  expect(judgeSample(operation, { exchanges: [], outcome: broken }).judged).toEqual({ [ID]: 'skip' });
});

test('says which request was the first that is wrong', () => {
  const exchanges = [{ status: 429, retryAfter: 1 }, { at: 1, target: '/v1/pets' }, { at: 2 }];
  expect(judgeSample(operation, { exchanges }).messages).toEqual([
    expect.stringContaining('It was request 2; the first was right.'),
  ]);
});

test('leaves what was sent while the client should have waited to the judge of waits', () => {
  const early = [{ status: 429, retryAfter: 2 }, { at: 0.5 }, { at: 1 }];
  expect(judgeSample(operation, { exchanges: early }).judged).toEqual({ 'client-operation': 'pass' });
  const unreadable = [{ status: 429 }, { at: 0.5 }, { at: 1 }];
  expect(judgeSample(operation, { exchanges: unreadable }).judged).toEqual({ 'client-operation': 'pass' });
  const atOnce = [
    { status: 429, connection: 1 },
    { at: 0.003, connection: 2 },
  ];
  expect(judgeSample(operation, { exchanges: atOnce }).judged).toEqual({ 'client-operation': 'pass' });
});

const back = (...exchanges: readonly RecordedSample[]) =>
  judgeSample(operation, { exchanges: [limited(0, 2, { connection: 1 }), ...exchanges] });

test('lets a client that waited come back with one request, not with two at the same moment', () => {
  const twins = back(
    { at: 2, answeredAt: 2.01, connection: 2 },
    { at: 2.002, answeredAt: 2.012, connection: 3 },
  );
  expect(twins.judged).toEqual({ [ID]: 'fail' });
  expect(twins.messages).toEqual([expect.stringContaining('at the same moment, 2.00 s')]);
  const early = back({ at: 0.001, connection: 2 }, { at: 0.002, connection: 3 });
  expect(early.judged).toEqual({ [ID]: 'pass' });
});
