import { expect, test } from 'vitest';

import { judgeSample, limited } from '../records/record.test-data.ts';
import { repeats } from './repeats.ts';

const ID = 'client-does-not-repeat-refused';

test.each([400, 401, 404])('passes if %i is the last answer', (status) => {
  expect(judgeSample(repeats, { exchanges: [{ status }] }).judged).toEqual({ [ID]: 'pass' });
  expect(judgeSample(repeats, { exchanges: [limited(0, 1), { at: 1, status }] }).judged).toEqual({
    [ID]: 'pass',
  });
});

test.each([400, 401, 404])('fails a request after a %i', (status) => {
  const said = judgeSample(repeats, {
    exchanges: [{ status }, { at: 1.5, status }, { at: 3, status }],
  });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([
    `The request was answered ${status} at 0.00 s, and 2 more were sent, the next at 1.50 s.`,
  ]);
});

test('takes no other request for a repeat, but a repeat in another spelling', () => {
  const other = [
    { target: '/health', status: 401 },
    { at: 1, status: 404 },
  ];
  expect(judgeSample(repeats, { exchanges: other }).judged).toEqual({ [ID]: 'pass' });
  const respelt = [
    { target: '/health', status: 401 },
    { at: 1, status: 404 },
    { at: 2, target: '/v1/inventory/' },
  ];
  expect(judgeSample(repeats, { exchanges: respelt })).toMatchObject({
    judged: { [ID]: 'fail' },
    messages: [expect.stringContaining('answered 404 at 1.00 s, and one more was sent')],
  });
});

test('leaves what was sent while the client should have waited to the judge of waits', () => {
  const exchanges = [limited(0, 2), { at: 0.5, status: 400 }, { at: 1 }];
  expect(judgeSample(repeats, { exchanges }).judged).toEqual({});
});

test('knows what was sent before the answer was there', () => {
  const exchanges = [
    { at: 0, answeredAt: 2, status: 404 },
    { at: 1, answeredAt: 3, status: 404 },
  ];
  expect(judgeSample(repeats, { exchanges }).judged).toEqual({ [ID]: 'pass' });
});

test('has no say in 429, in bans and in results', () => {
  expect(judgeSample(repeats, { exchanges: [limited(0, 1), { at: 1 }] }).judged).toEqual({});
  expect(judgeSample(repeats, { exchanges: [{ status: 403, retryAfter: 1 }, { at: 1 }] }).judged).toEqual({});
});
