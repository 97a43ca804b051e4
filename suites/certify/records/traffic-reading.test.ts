import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { readTarget } from './traffic-reading.ts';

const BASE = 'http://127.0.0.1:8080/v1';

test.each([
  ['/v1/inventory', ['inventory'], ''],
  ['/v1/inventory/', ['inventory'], ''],
  ['/v1/inventory?', ['inventory'], ''],
  ['/v1/inventory?a=1', ['inventory'], '?a=1'],
  ['/v1/x/../inventory', ['inventory'], ''],
  ['/v1//inventory', ['', 'inventory'], ''],
  ['/v1/inventory//', ['inventory', ''], ''],
  ['/v1/inventory%2F7', ['inventory/7'], ''],
  ['/v1/%zz', ['%zz'], ''],
  ['http://elsewhere.example/v1/inventory', ['inventory'], ''],
  ['/v1', [], ''],
  ['/v11/inventory', null, ''],
  ['//v1/inventory', null, ''],
  ['/', null, ''],
  ['*', null, ''],
  ['', null, ''],
])('reads %s', (target, segments, query) => {
  expect(readTarget(target, BASE)).toEqual({ segments, query });
});

test('reads any path segment in any percent-encoding', () => {
  const unit = fc.constantFrom('a', 'Z', '7', ' ', '.', '%', '/', '?', '#', 'é', '€', '😀');
  const segment = fc.string({ unit, minLength: 1 }).filter((text) => !/^[.]{1,2}$/.test(text));
  fc.assert(
    fc.property(segment, (text) => {
      const encoded = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      expect(readTarget(`/v1/inventory/${encoded}`, BASE).segments).toEqual(['inventory', text]);
    }),
  );
});
