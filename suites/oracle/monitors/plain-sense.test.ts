import { expect, test } from 'vitest';

import { plainSense } from './plain-sense.ts';
import { watch } from './watch.test-data.ts';

const headers = [['Content-Type', 'application/json']] as const;

test.each([
  ['a list', '[]', true],
  ['nothing', '', false],
  ['a page', '<html>', false],
  ['a list behind a byte order mark', '\u{feff}[]', false],
])('says whether %s that is said to be JSON can be read', (_what, body, holds) => {
  expect(watch(plainSense, { headers, body }).judged).toMatchObject({ 'readable-json': holds });
});

test('reads a list of a megabyte, of which only the beginning is kept', () => {
  const entries = Array.from({ length: 30_000 }, (_, petId) => ({ petId, quantity: 1, status: 'sold' }));
  const body = JSON.stringify(entries);
  expect(body.length).toBeGreaterThan(2 ** 20);
  expect(watch(plainSense, { headers, body }).judged).toMatchObject({ 'readable-json': true });
});

test.each([
  ['429', '60', undefined],
  ['403', String(31 * 86_400), undefined],
  ['429', '1790000060', false],
  ['401', String(31 * 86_400 + 1), false],
  ['503', '1790000060', undefined],
])('says whether the wait that %s asks for with %s can be sat out', (status, value, holds) => {
  const sample = { status: Number(status), headers: [['Retry-After', value]] } as const;
  expect(watch(plainSense, sample).judged['retry-after-plausible']).toBe(holds);
});
