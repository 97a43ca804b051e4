import { describe, expect, test } from 'vitest';

import { INT64_MAX, type JsonValue } from './json/index.ts';
import {
  validateError,
  validateInventory,
  validateInventoryItem,
  validateInventoryUpdate,
} from './openapi-schemas.test-data.ts';

const VALID_ITEM = { petId: 1, quantity: 12, status: 'available' };
const VALID_ERROR = { code: 'pet_not_found', message: 'No such pet.', status: 404 };

describe('validateInventoryItem', () => {
  test.each<[string, JsonValue | undefined, readonly string[]]>([
    ['a valid item', VALID_ITEM, []],
    ['a further member', { ...VALID_ITEM, note: 'new' }, []],
    ['the largest int64', { ...VALID_ITEM, petId: INT64_MAX }, []],
    ['one beyond int64', { ...VALID_ITEM, petId: INT64_MAX + 1n }, ['/petId']],
    ['a petId as a string', { ...VALID_ITEM, petId: '1' }, ['/petId']],
    ['a large quantity', { ...VALID_ITEM, quantity: 10n ** 30n }, []],
    ['a negative quantity', { ...VALID_ITEM, quantity: -1 }, []],
    ['a fraction', { ...VALID_ITEM, quantity: 1.5 }, ['/quantity']],
    ['null', { ...VALID_ITEM, quantity: null }, ['/quantity']],
    ['another letter-case', { ...VALID_ITEM, status: 'Sold' }, ['/status']],
    ['nothing', {}, ['/petId', '/quantity', '/status']],
    ['an array', [VALID_ITEM], ['']],
    ['undefined', undefined, ['']],
  ])('%s', (_name, value, pointers) => {
    expect(validateInventoryItem(value).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test('says what is wrong', () => {
    expect(validateInventoryItem({ petId: INT64_MAX + 1n, quantity: '5' })).toEqual(
      expect.arrayContaining([
        { pointer: '/petId', message: 'must be an integer that fits int64' },
        { pointer: '/quantity', message: 'must be an integer' },
        { pointer: '/status', message: 'is missing' },
      ]),
    );
  });
});

test.each<[string, JsonValue, readonly string[]]>([
  ['an empty list', [], []],
  ['two items', [VALID_ITEM, { ...VALID_ITEM, petId: 2n ** 53n + 1n }], []],
  ['an item without petId', [VALID_ITEM, { quantity: 1, status: 'sold' }], ['/1/petId']],
  ['an object', { items: [] }, ['']],
])('validateInventory: %s', (_name, value, pointers) => {
  expect(validateInventory(value).map(({ pointer }) => pointer)).toEqual(pointers);
});

test.each<[string, JsonValue, readonly string[]]>([
  ['an integer', { quantity: 5 }, []],
  ['a wide integer', { quantity: 10n ** 30n }, []],
  ['a further member', { quantity: 5, note: 'new' }, []],
  ['a string', { quantity: '5' }, ['/quantity']],
  ['nothing', {}, ['/quantity']],
  ['no object', 5, ['']],
])('validateInventoryUpdate: %s', (_name, value, pointers) => {
  expect(validateInventoryUpdate(value).map(({ pointer }) => pointer)).toEqual(pointers);
});

test.each<[string, JsonValue, readonly string[]]>([
  ['complete', VALID_ERROR, []],
  ['with a further member', { ...VALID_ERROR, details: [] }, []],
  ['with a numeric code', { ...VALID_ERROR, code: 404 }, ['/code']],
  ['with a null message', { ...VALID_ERROR, message: null }, ['/message']],
  ['with a status as a string', { ...VALID_ERROR, status: '404' }, ['/status']],
  ['empty', {}, ['/code', '/message', '/status']],
])('validateError: %s', (_name, value, pointers) => {
  expect(validateError(value).map(({ pointer }) => pointer)).toEqual(pointers);
});
