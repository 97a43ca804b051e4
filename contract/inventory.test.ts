import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isPetStatus, PET_STATUSES, readInventoryItem } from './inventory.ts';
import { INT64_MAX, INT64_MIN, type JsonValue } from './json/index.ts';
import { validateInventoryItem } from './openapi-schemas.test-data.ts';

const VALID_ITEM = { petId: 1, quantity: 12, status: 'available' };

const anyInteger = fc.oneof(
  fc.integer(),
  fc.bigInt(),
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.constantFrom(INT64_MIN, INT64_MIN - 1n, INT64_MAX, INT64_MAX + 1n, 2 ** 63, -(2 ** 63)),
);
const { anyJson } = fc.letrec<{ anyJson: JsonValue }>((tie) => ({
  anyJson: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, ...PET_STATUSES),
    fc.string(),
    fc.double(),
    anyInteger,
    fc.array(tie('anyJson')),
    fc.dictionary(fc.string(), tie('anyJson')),
  ),
}));
const nearlyAnItem = fc.record(
  {
    petId: fc.oneof({ weight: 3, arbitrary: anyInteger }, anyJson),
    quantity: fc.oneof({ weight: 3, arbitrary: anyInteger }, anyJson),
    status: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PET_STATUSES, 'Sold') }, anyJson),
    note: anyJson,
  },
  { requiredKeys: [] },
);

describe('readInventoryItem', () => {
  test('finds the same members wrong as the schema', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyAnItem, anyJson), (value) => {
        const reading = readInventoryItem(value);
        const wrong = 'problems' in reading ? reading.problems.map(({ member }) => member) : [];
        const pointers = validateInventoryItem(value).map(({ pointer }) => pointer);
        expect(new Set(wrong.map((member) => (member === 'object' ? '' : `/${member}`)))).toEqual(
          new Set(pointers),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  test('keeps the values of a valid item', () => {
    const quantity = 2n ** 70n;
    expect(readInventoryItem({ petId: INT64_MAX, quantity, status: 'sold' })).toEqual({
      item: { petId: INT64_MAX, quantity, status: 'sold' },
    });
    expect(readInventoryItem({ ...VALID_ITEM, quantity: 12n, note: 'new' })).toEqual({
      item: { petId: 1n, quantity: 12, status: 'available' },
    });
  });

  test('describes a value that is nested beyond the call stack', () => {
    const nested: JsonValue = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(readInventoryItem({ ...VALID_ITEM, petId: nested })).toEqual({
      problems: [{ member: 'petId', message: 'is an array, not an integer' }],
    });
  });
});

test('isPetStatus knows the three statuses, spelled so', () => {
  const values = ['available', 'pending', 'sold', 'Sold', 'SOLD', ' sold', '', 'length', null, 0, undefined];
  expect(values.filter(isPetStatus)).toEqual(['available', 'pending', 'sold']);
});
