import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { INT64_MAX, INT64_MIN } from '../../contract/json/index.ts';
import { readInventoryUpdate, readPetId } from './inventory-update.ts';

function read(text: string) {
  return readInventoryUpdate(Buffer.from(text));
}

test.each([
  ['{"quantity":0}', 0],
  ['{"quantity":-0}', 0],
  ['{"quantity":1.0}', 1],
  ['{"quantity":1e2}', 100],
  ['{"quantity":9007199254740991}', 9_007_199_254_740_991],
  ['{"quantity":5,"quantity":6}', 6],
  ['{"quantity":5,"status":"sold","petId":2}', 5],
])('%s sets %d', (text, quantity) => {
  expect(read(text)).toEqual({ quantity });
});

test.each([
  ['{"quantity":-1}', 'invalid_quantity'],
  ['{"quantity":9007199254740992}', 'invalid_quantity'],
  ['{"quantity":9007199254740993}', 'invalid_quantity'],
  ['{"quantity":1e400}', 'invalid_quantity'],
  ['{"quantity":1.5}', 'invalid_quantity'],
  ['{"quantity":9007199254740992.5}', 'invalid_quantity'],
  ['{"quantity":6,"quantity":null}', 'invalid_quantity'],
  ['[1]', 'invalid_body'],
  ['{"quantity":', 'malformed_json'],
  [`{"quantity":1234567890123456,"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'malformed_json'],
])('refuses %.60s', (text, code) => {
  expect(read(text)).toMatchObject({ problem: { code } });
});

test('broken UTF-8 is not JSON', () => {
  const bytes = Uint8Array.of(...Buffer.from('{"quantity":5,"note":"'), 0xff, ...Buffer.from('"}'));
  expect(readInventoryUpdate(bytes)).toMatchObject({ problem: { code: 'malformed_json' } });
});

test('every int64 in plain digits is a petId', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (petId) => {
      expect(readPetId(petId.toString())).toBe(petId);
    }),
    { examples: [[INT64_MAX], [INT64_MIN], [0n], [2n ** 53n + 1n]] },
  );
});

test.each([
  '',
  '01',
  '+1',
  '-0',
  '1.0',
  '1e3',
  '0x1',
  '1n',
  ' 1',
  '١',
  `${INT64_MAX + 1n}`,
  '9'.repeat(1_000),
])('%.30s is no petId', (segment) => {
  expect(readPetId(segment)).toBeUndefined();
});
