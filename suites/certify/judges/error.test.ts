import { expect, test } from 'vitest';

import type { JsonValue } from '../../../contract/json/index.ts';
import {
  ENDED,
  errorBody,
  failedWith,
  judgeSample,
  limited,
  reported,
  UNKNOWN,
} from '../records/record.test-data.ts';
import { error } from './error.ts';

const ID = 'client-reports-error';

const refused = (status: number, body: JsonValue | Buffer = errorBody(status, 'c', 'm')) => [
  { status, body },
];

test.each([400, 401, 403, 404, 429])('passes a %i that is reported as it was answered', (status) => {
  const outcome = failedWith(status, 'c', 'm');
  expect(judgeSample(error, { exchanges: refused(status), outcome }).judged).toEqual({ [ID]: 'pass' });
});

test.each([
  ['another status', failedWith(400, 'c', 'm'), 'reports status 400'],
  ['no status', failedWith(null, 'c', 'm'), 'reports no status'],
  ['another code', failedWith(404, 'C', 'm'), 'code was answered as "c" and reported as "C"'],
  ['no code', failedWith(404, null, 'm'), 'code was answered as "c" and reported as null'],
  ['another message', failedWith(404, 'c', 'Not Found'), 'message was answered as "m"'],
  ['a result', reported([]), 'reports a result'],
] as const)('fails %s', (_what, outcome, message) => {
  const said = judgeSample(error, { exchanges: refused(404), outcome });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining(message)]);
});

test.each([403, 429])('compares only the status of a %i, whose body is not shown', (status) => {
  const judge = (outcome: ReturnType<typeof failedWith>) =>
    judgeSample(error, { exchanges: refused(status), outcome }).judged;
  expect(judge(failedWith(status, 'http_error', null))).toEqual({ [ID]: 'pass' });
  expect(judge(failedWith(400, 'c', 'm'))).toEqual({ [ID]: 'fail' });
});

test.each<[string, JsonValue | Buffer]>([
  ['empty', Buffer.alloc(0)],
  ['HTML', Buffer.from('<h1>Too many requests</h1>')],
  ['other JSON', { error: 'slow down' }],
])('compares only the status if the body is %s', (_what, body) => {
  const judge = (status: number) =>
    judgeSample(error, { exchanges: refused(429, body), outcome: failedWith(status, null, null) }).judged;
  expect(judge(429)).toEqual({ [ID]: 'pass' });
  expect(judge(503)).toEqual({ [ID]: 'fail' });
});

test('compares with the last answer', () => {
  const exchanges = [limited(0, 1), { at: 1, status: 404, body: errorBody(404, 'c', 'm') }];
  expect(judgeSample(error, { exchanges, outcome: failedWith(404, 'c', 'm') }).judged).toEqual({
    [ID]: 'pass',
  });
  expect(judgeSample(error, { exchanges, outcome: failedWith(429) }).judged).toEqual({ [ID]: 'fail' });
});

test('has no say in a success, a redirect or a client that does not report', () => {
  expect(judgeSample(error, {}).judged).toEqual({});
  expect(judgeSample(error, { exchanges: [{ status: 307 }], outcome: failedWith(307) }).judged).toEqual({});
  expect(judgeSample(error, { exchanges: [], outcome: failedWith(null) }).judged).toEqual({});
  expect(judgeSample(error, { exchanges: refused(404), outcome: ENDED }).judged).toEqual({});
  expect(judgeSample(error, { exchanges: refused(404), outcome: UNKNOWN }).judged).toEqual({ [ID]: 'skip' });
});

const MESSAGE = 'Für „Größe 5“: 猫.';
const beyondAscii = refused(400, errorBody(400, 'c', MESSAGE));

test.each([
  ['Latin-1', Buffer.from(MESSAGE).toString('latin1')],
  ['Windows-1252', new TextDecoder('windows-1252').decode(Buffer.from(MESSAGE))],
])('fails a message in UTF-8 that was read as %s, and says so', (_coding, misread) => {
  const said = judgeSample(error, { exchanges: beyondAscii, outcome: failedWith(400, 'c', misread) });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.changes).toEqual([expect.stringContaining('as UTF-8')]);
});

const judgeMessage = (message: string) =>
  judgeSample(error, { exchanges: beyondAscii, outcome: failedWith(400, 'c', message) }).judged;

test('does not blame a client for the coding of its stdout, which replaces characters', () => {
  expect(judgeMessage(MESSAGE)).toEqual({ [ID]: 'pass' });
  expect(judgeMessage('F?r ?Gr??e 5?: ?.')).toEqual({ [ID]: 'skip' });
  // Bytes that are no UTF-8.
  expect(judgeMessage('F\uFFFD\uFFFDr \uFFFDGr\uFFFDe 5\uFFFD: \uFFFD.')).toEqual({ [ID]: 'fail' });
  expect(judgeMessage('Fr Gre 5: .')).toEqual({ [ID]: 'fail' });
  expect(judgeMessage('F?r ?Gr??e 6?: ?.')).toEqual({ [ID]: 'fail' });
});
