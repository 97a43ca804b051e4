import { expect, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import { judgeSample, UNKNOWN } from '../records/record.test-data.ts';
import { pacing } from './pacing.ts';

const ID = 'client-paces-itself';

const remaining = (requests: number): readonly HeaderField[] => [
  ['X-RateLimit-Limit', '60'],
  ['X-RateLimit-Remaining', `${requests}`],
  ['X-RateLimit-Reset', '1790000060'],
];

test.each([
  ['not seen', 0.3],
  ['slows down', 3],
])('sees %s if the client ends after %d s', (value, seconds) => {
  const { observed } = judgeSample(pacing, { exchanges: [{ headers: remaining(0) }], seconds });
  expect(observed).toEqual([[ID, value]]);
});

test.each([
  ['goes on at once', 0.3],
  ['slows down', 30],
])('sees %s if the next request comes after %d s', (value, at) => {
  const sample = { exchanges: [{ headers: remaining(0) }, { at }], outcome: UNKNOWN, seconds: 60 };
  expect(judgeSample(pacing, sample).observed).toEqual([[ID, value]]);
});

test('sees nothing if something remains, nor after a refusal', () => {
  expect(judgeSample(pacing, { exchanges: [{ headers: remaining(1) }] }).observed).toEqual([]);
  expect(judgeSample(pacing, { exchanges: [{ status: 429, headers: remaining(0) }] }).observed).toEqual([]);
  expect(judgeSample(pacing, {}).observed).toEqual([]);
});
