import { describe, expect, test } from 'vitest';

import {
  ENDED,
  type ExpectedOutcome,
  judgeSample,
  limited,
  type RecordedSample,
  type RecordSample,
  update,
  UNKNOWN,
  UPDATE_TASK,
} from '../records/record.test-data.ts';
import { operation, repeats } from './operation.ts';

const judge = (...exchanges: readonly RecordedSample[]) => judgeSample(operation, { exchanges });
const judgeRepeats = (...exchanges: readonly RecordedSample[]) => judgeSample(repeats, { exchanges });

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
  expect(judge({ target }).outcome).toBe('pass');
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
  const said = judge({ method, target });
  expect(said).toMatchObject({ outcome: 'fail', message: expect.stringContaining(message) });
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
  const exchanges = [update({ method, target })];
  expect(judgeSample(operation, { task: UPDATE_TASK, exchanges }).outcome).toBe(outcome);
});

test('finds a request besides the operation, and says which was the first that is wrong', () => {
  const exchanges = [{ method: 'GET', target: '/v1/inventory' }, update({ at: 1 })];
  const said = judgeSample(operation, { task: UPDATE_TASK, exchanges });
  expect(said).toMatchObject({ outcome: 'fail', evidence: { request: { method: 'GET' } } });
  const { message } = judge({ status: 429, retryAfter: 1 }, { at: 1, target: '/v1/pets' }, { at: 2 });
  expect(message).toContain('It was request 2; the first was right.');
});

const preflight = {
  method: 'OPTIONS',
  authorization: [],
  requestHeaders: [['Access-Control-Request-Method', 'GET']] as const,
  status: 204,
};

test.each<[string, readonly RecordedSample[]]>([
  ['retries', [limited(0, 1), { at: 1 }]],
  [
    'what was sent before the 200 was there',
    [
      { at: 0, answeredAt: 2.5 },
      { at: 1, answeredAt: 3.5 },
    ],
  ],
  ['what is sent again since the client was gone when the 200 came', [{ isLost: true }, { at: 0.5 }]],
  ['the preflight of a browser', [preflight, { at: 1 }]],
  // What follows is left to the judge of waits.
  ['what was sent too early', [{ status: 429, retryAfter: 2 }, { at: 0.5 }, { at: 1 }]],
  ['what follows a wait that cannot be read', [{ status: 429 }, { at: 0.5 }, { at: 1 }]],
  [
    'what follows such a one at once',
    [
      { status: 429, connection: 1 },
      { at: 0.003, connection: 2 },
    ],
  ],
  [
    'two early requests at the same moment',
    [limited(0, 2), { at: 0.001, connection: 2 }, { at: 0.002, connection: 3 }],
  ],
])('lets %s pass', (_what, exchanges) => {
  expect(judge(...exchanges).outcome).toBe('pass');
});

test('does not let it be sent again after a 200, unless by hand', () => {
  const exchanges = [{ at: 0 }, { at: 0.5 }];
  expect(judge(...exchanges)).toMatchObject({
    outcome: 'fail',
    message: expect.stringContaining('sent once more at 0.50 s'),
  });
  expect(judgeSample(operation, { exchanges, outcome: UNKNOWN }).outcome).toBe('pass');
});

const twice = (status: number) => [
  { at: 0, answeredAt: 0.0005, status, connection: 1 },
  { at: 0.001, status, connection: 2 },
];
const twiceAfterWait = [
  limited(0, 2),
  { at: 2, answeredAt: 2.01, connection: 2 },
  { at: 2.002, answeredAt: 2.012, connection: 3 },
];

test.each([
  ['at the same moment, 0.00 s', twice(200)],
  ['at the same moment, 2.00 s', twiceAfterWait],
])('does not let it be sent twice %s, and calls that no repeat', (message, exchanges) => {
  expect(judge(...exchanges)).toMatchObject({ outcome: 'fail', message: expect.stringContaining(message) });
  expect(judgeRepeats(...twice(404)).outcome).toBe('pass');
});

test('calls it a repeat if the answer was there before, over whichever connection', () => {
  const [first = {}, second = {}] = twice(404);
  const { outcome, message } = judgeRepeats(first, { ...second, at: 0.003 });
  expect([outcome, message]).toEqual(['fail', expect.stringContaining('was answered 404 at 0.00 s')]);
  expect(judge(first, { ...second, at: 0.003 }).outcome).toBe('pass');
});

const silent = { outcome: ENDED, endedFor: 'silence' } as const;
const broken = { kind: 'broken', problem: 'It crashed.', output: '' } as const;

test.each<[ExpectedOutcome, Omit<RecordSample, 'exchanges'>]>([
  ['fail', {}],
  ['fail', silent],
  ['skip', { ...silent, endedFor: 'interruption' }],
  ['skip', { outcome: UNKNOWN }],
  ['skip', { outcome: broken }],
])('if nothing arrived, fails only a client that had its chance: %s of %j', (outcome, sample) => {
  expect(judgeSample(operation, { ...sample, exchanges: [] }).outcome).toBe(outcome);
});

test('tells what is no HTTP from no request at all', () => {
  const malformed = 'The method is "patch", and methods are in capital letters.';
  expect(judgeSample(operation, { malformed, exchanges: [] }).message).toContain(malformed);
  expect(judgeSample(operation, { exchanges: [] }).message).toBe('No request arrived.');
});

describe('a request that was refused', () => {
  test.each([400, 401, 404])('with %i as the last answer is not repeated', (status) => {
    expect(judgeRepeats({ status }).outcome).toBe('pass');
    expect(judgeRepeats(limited(0, 1), { at: 1, status }).outcome).toBe('pass');
  });

  test.each([400, 401, 404])('with %i is repeated', (status) => {
    expect(judgeRepeats({ status }, { at: 1.5, status }, { at: 3, status })).toMatchObject({
      outcome: 'fail',
      message: `The request was answered ${status} at 0.00 s, and 2 more were sent, the next at 1.50 s.`,
    });
  });

  const other = [
    { target: '/health', status: 401 },
    { at: 1, status: 404 },
  ];

  test('is repeated in another spelling, too, but not by another request', () => {
    expect(judgeRepeats(...other).outcome).toBe('pass');
    expect(judgeRepeats(...other, { at: 2, target: '/v1/inventory/' })).toMatchObject({
      outcome: 'fail',
      message: expect.stringContaining('answered 404 at 1.00 s, and one more was sent'),
    });
  });

  test.each<[string, ExpectedOutcome, readonly RecordedSample[]]>([
    ['while the client should have waited', null, [limited(0, 2), { at: 0.5, status: 400 }, { at: 1 }]],
    [
      'after the other was sent',
      'pass',
      [
        { at: 0, answeredAt: 2, status: 404 },
        { at: 1, answeredAt: 3, status: 404 },
      ],
    ],
    ['with 429', null, [limited(0, 1), { at: 1 }]],
    ['in a ban', null, [{ status: 403, retryAfter: 1 }, { at: 1 }]],
  ])('%s: %s', (_when, outcome, exchanges) => {
    expect(judgeRepeats(...exchanges).outcome).toBe(outcome);
  });
});
