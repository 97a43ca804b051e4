import { expect, test } from 'vitest';

import { plainSense } from './plain-sense.ts';
import { watch } from './watch.test-data.ts';

const headers = [['Content-Type', 'application/json']] as const;

test.each([
  ['a list', '[]', true],
  ['nothing', '', false],
  ['a page', '<html>', false],
])('says whether %s that is said to be JSON can be read', (_what, body, holds) => {
  expect(watch(plainSense, { headers, body }).judged).toMatchObject({ 'readable-json': holds });
});

test('reads a list of a megabyte, of which only the beginning is kept', () => {
  const entries = Array.from({ length: 30_000 }, (_, petId) => ({ petId, quantity: 1, status: 'sold' }));
  const body = JSON.stringify(entries);
  expect(body.length).toBeGreaterThan(2 ** 20);
  expect(watch(plainSense, { headers, body }).judged).toMatchObject({ 'readable-json': true });
});
