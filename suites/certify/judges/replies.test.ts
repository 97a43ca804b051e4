import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import {
  ENDED,
  errorBody,
  type ExpectedOutcome,
  failedWith,
  judgeSample,
  limited,
  type RecordSample,
  reported,
  update,
  UNKNOWN,
  UPDATE_TASK,
} from '../records/record.test-data.ts';
import { error, result } from './replies.ts';

describe('a result', () => {
  const PETS = [{ petId: 1, quantity: 5, status: 'sold' }];
  const item = { petId: '9007199254740993', quantity: 7, status: 'sold' };
  const coded = { body: gzipSync(stringifyJson(PETS)), headers: [['Content-Encoding', 'gzip']] as const };
  const cutShort = update({ isLost: true, requestHeaders: [['Content-Length', '14']], requestBody: '' });
  const brokenOff = {
    exchanges: [{ body: PETS }],
    traits: ['breaks-off'] as const,
    judges: ['client-reports-no-answer'] as const,
  };
  const overtaken = [
    { at: 0, answeredAt: 3, body: PETS },
    { at: 1, answeredAt: 2, body: [] },
  ];

  test.each<[string, ExpectedOutcome, RecordSample]>([
    ['a list', 'pass', { exchanges: [limited(0, 1), { at: 1, body: PETS }], outcome: reported(PETS) }],
    ['an item', 'pass', { task: UPDATE_TASK, exchanges: [update()], outcome: reported(item) }],
    ['a coded list', 'pass', { exchanges: [coded], outcome: reported(PETS) }],
    ['another than the coded list', 'fail', { exchanges: [coded], outcome: reported([]) }],
    ['the list that was answered last', 'pass', { exchanges: overtaken, outcome: reported(PETS) }],
    ['that which was answered before', 'fail', { exchanges: overtaken, outcome: reported([]) }],
    ['an error before the answer', 'fail', { exchanges: [{ answeredAt: null }], outcome: failedWith(null) }],
    ['an error, gone before', 'fail', { exchanges: [{ isLost: true }], outcome: failedWith(null) }],
    [
      'an error, and its request did not come whole',
      null,
      { task: UPDATE_TASK, exchanges: [cutShort], outcome: failedWith(null) },
    ],
    ['an error, as answered', null, { exchanges: [limited(0, 1)], outcome: failedWith(429) }],
    ['a result after a 429', null, { exchanges: [limited(0, 1)], outcome: reported([]) }],
    ['an error if nothing was sent', null, { exchanges: [], outcome: failedWith(null) }],
    ['a list, of which a part was missing', 'fail', { ...brokenOff, outcome: reported(PETS) }],
    ['an error, as a part was missing', null, { ...brokenOff, outcome: failedWith(null) }],
    ['nothing', null, { outcome: ENDED }],
    ['nobody knows what', 'skip', { outcome: UNKNOWN }],
  ])('if the client reports %s: %s', (_what, outcome, sample) => {
    expect(judgeSample(result, sample).outcome).toBe(outcome);
  });

  test('that is another fails with the answer as evidence, and so does an error in its place', () => {
    expect(judgeSample(result, { exchanges: [{ body: PETS }], outcome: reported([]) })).toMatchObject({
      outcome: 'fail',
      message: expect.stringContaining('1 of 1 pets'),
      evidence: { response: { status: 200 } },
    });
    const exchanges = [{ at: 0, answeredAt: 2.5 }];
    expect(judgeSample(result, { exchanges, outcome: failedWith(null) })).toMatchObject({
      outcome: 'fail',
      message: expect.stringContaining('was 200, at 2.50 s'),
    });
  });
});

const refused = (status: number, body: JsonValue | Buffer = errorBody(status, 'c', 'm')) => [
  { status, body },
];

const judgeError = (exchanges: RecordSample['exchanges'] & object, outcome = failedWith(404, 'c', 'm')) =>
  judgeSample(error, { exchanges, outcome });

describe('an error', () => {
  const closed: RecordSample = { exchanges: [{ isLost: true }], traits: ['answers-nothing'] };
  const cut: RecordSample = { exchanges: [{}], traits: ['breaks-off'] };

  test.each<[string, ExpectedOutcome, RecordSample]>([
    ['404', 'fail', { ...closed, outcome: failedWith(404) }],
    ['200', 'fail', { ...closed, outcome: failedWith(200) }],
    ['no status', null, { ...closed, outcome: failedWith(null) }],
    ['0', null, { ...closed, outcome: failedWith(0) }],
    ['599', null, { ...closed, outcome: failedWith(599) }],
    ['the status of what broke off', null, { ...cut, outcome: failedWith(200) }],
    ['another', 'fail', { ...cut, outcome: failedWith(401) }],
    ['404, and sent nothing', null, { exchanges: [], outcome: failedWith(404) }],
  ])('if no answer came, and the client reports %s: %s', (_what, outcome, sample) => {
    expect(judgeSample(error, sample).outcome).toBe(outcome);
  });

  test.each([400, 401, 403, 404, 429])('%i passes if it is reported as it was answered', (status) => {
    expect(judgeError(refused(status), failedWith(status, 'c', 'm')).outcome).toBe('pass');
  });

  test.each([
    ['another status', failedWith(400, 'c', 'm'), 'reports status 400'],
    ['no status', failedWith(null, 'c', 'm'), 'reports no status'],
    ['a status in quotes', failedWith('404', 'c', 'm'), 'reports status "404"'],
    ['another code', failedWith(404, 'C', 'm'), 'code was answered as "c" and reported as "C"'],
    ['no code', failedWith(404, null, 'm'), 'code was answered as "c" and reported as null'],
    ['another message', failedWith(404, 'c', 'Not Found'), 'message was answered as "m"'],
    ['a result', reported([]), 'reports a result'],
  ] as const)('fails by %s', (_what, outcome, message) => {
    expect(judgeError(refused(404), outcome)).toMatchObject({
      outcome: 'fail',
      message: expect.stringContaining(message),
    });
  });

  test.each<[string, number, JsonValue | Buffer]>([
    ['an Error object', 403, errorBody(403, 'c', 'm')],
    ['an Error object', 429, errorBody(429, 'c', 'm')],
    ['nothing', 429, Buffer.alloc(0)],
    ['HTML', 429, Buffer.from('<h1>Too many requests</h1>')],
    ['other JSON', 429, { error: 'slow down' }],
  ])(
    'is compared by its status alone if %s stands in a %i, whose body is not shown',
    (_what, status, body) => {
      expect(judgeError(refused(status, body), failedWith(status, 'http_error', null)).outcome).toBe('pass');
      expect(judgeError(refused(status, body), failedWith(503, 'c', 'm')).outcome).toBe('fail');
    },
  );

  test('is compared with the last answer', () => {
    const exchanges = [limited(0, 1), { at: 1, status: 404, body: errorBody(404, 'c', 'm') }];
    expect(judgeError(exchanges).outcome).toBe('pass');
    expect(judgeError(exchanges, failedWith(429)).outcome).toBe('fail');
  });

  test('may be that of a refusal which was followed by what another requirement judges', () => {
    const other = { at: 1, status: 401, body: errorBody(401, 'missing_api_key', 'No key.') };
    const exchanges = [...refused(404), other];
    expect(judgeError(exchanges).outcome).toBe('pass');
    expect(judgeError(exchanges, failedWith(404, 'x', 'm')).outcome).toBe('fail');
  });

  test('is compared with no answer that came when the client was gone', () => {
    const exchanges = [limited(0, 1), { at: 1, status: 400, isLost: true }] as const;
    expect(judgeError(exchanges, failedWith(429)).outcome).toBe('pass');
  });

  test('is not looked for in a success, a redirect or a client that does not report', () => {
    expect(judgeSample(error, {}).outcome).toBeNull();
    expect(judgeError([{ status: 307 }], failedWith(307)).outcome).toBeNull();
    expect(judgeError([], failedWith(null)).outcome).toBeNull();
    expect(judgeError(refused(404), ENDED).outcome).toBeNull();
    expect(judgeError(refused(404), UNKNOWN).outcome).toBe('skip');
  });

  test('shows a long message from shortly before the first difference', () => {
    const [sent, told] = ['5', '6'].map((digit) => `${'so '.repeat(50)}${digit} too many`);
    expect(
      judgeError(refused(400, errorBody(400, 'c', sent ?? '')), failedWith(400, 'c', told)),
    ).toMatchObject({
      message: expect.stringMatching(/as …".{20}5 too many" and reported as …".{20}6 too many"/),
    });
  });

  const MESSAGE = 'Für „Größe 5“: 猫.';
  const judgeMessage = (message: string) =>
    judgeError(refused(400, errorBody(400, 'c', MESSAGE)), failedWith(400, 'c', message));

  test.each([
    ['Latin-1', Buffer.from(MESSAGE).toString('latin1')],
    ['Windows-1252', new TextDecoder('windows-1252').decode(Buffer.from(MESSAGE))],
    // Bytes that are no UTF-8.
    ['UTF-8', 'F\uFFFD\uFFFDr \uFFFDGr\uFFFDe 5\uFFFD: \uFFFD.'],
  ])('with a message that was misread as %s fails, and says so', (_coding, misread) => {
    const said = judgeMessage(misread);
    expect(said).toMatchObject({ outcome: 'fail', change: expect.stringContaining('as UTF-8') });
  });

  test('whose message only looks the same fails, and says where the difference lies', () => {
    expect(judgeMessage(MESSAGE.normalize('NFD'))).toMatchObject({
      outcome: 'fail',
      change: expect.stringContaining('Unicode normalization'),
    });
  });

  test('is not blamed on a client for the coding of its stdout, which replaces characters', () => {
    expect(judgeMessage(MESSAGE).outcome).toBe('pass');
    expect(judgeMessage('F?r ?Gr??e 5?: ?.').outcome).toBe('skip');
    expect(judgeMessage('Fr Gre 5: .').outcome).toBe('fail');
    expect(judgeMessage('F?r ?Gr??e 6?: ?.').outcome).toBe('fail');
  });
});
