import { expect, test } from 'vitest';

import { judgeSample, limited } from '../records/record.test-data.ts';
import { banConduct } from './ban.ts';

const ID = 'client-avoids-ban';

test('passes whoever met a 429 and was not banned', () => {
  expect(judgeSample(banConduct, { exchanges: [limited(0, 1), { at: 1 }] }).judged).toEqual({ [ID]: 'pass' });
});

test('fails whoever went on until the ban, and counts what was sent too early', () => {
  const exchanges = Array.from({ length: 12 }, (_, index) => limited(index / 10, 5));
  const said = judgeSample(banConduct, { exchanges, droveIntoBan: true });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([
    'After 429s 11 requests were sent before they were allowed, and the key was banned.',
  ]);
  expect(said.evidence).toHaveLength(1);
});

test('has no say without a 429', () => {
  expect(judgeSample(banConduct, {}).judged).toEqual({});
  expect(judgeSample(banConduct, { exchanges: [{ status: 403, retryAfter: 2 }] }).judged).toEqual({});
});
