import { array, assert, bigInt, constantFrom, jsonValue, oneof, property, record } from 'fast-check';
import { expect, test } from 'vitest';

import {
  asInteger,
  INT64_MAX,
  INT64_MIN,
  isInt64,
  isJsonObject,
  type JsonValue,
} from '../../contract/json/index.ts';
import { readInventoryItem } from '../../contract/inventory.ts';
import { readList } from './inventory-list.ts';

const status = constantFrom('available', 'pending', 'sold');
const item = record({
  petId: oneof(bigInt({ min: 1n, max: 8n }), bigInt({ min: INT64_MIN, max: INT64_MAX })),
  quantity: oneof(bigInt({ min: -5n, max: 5n }), bigInt()),
  status,
});
const entries = array<JsonValue>(
  oneof(item, record({ petId: bigInt({ min: 1n, max: 8n }), status }), jsonValue({ maxDepth: 2 }).map(plain)),
);

function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

test('a list holds what its entries say, whatever they are', () => {
  assert(
    property(entries, (values) => {
      const list = readList(values);
      const readable = values
        .map(readInventoryItem)
        .flatMap((reading) => ('item' in reading ? [reading.item] : []));
      const expected = new Map(readable.map((one) => [one.petId, one]));
      expect(list.length).toBe(values.length);
      expect(list.items.size).toBe(expected.size);
      for (const [petId, one] of expected) {
        expect(list.items.has(petId)).toBe(true);
        expect(list.items.get(petId)).toMatchObject({ petId: one.petId, status: one.status });
        expect(BigInt(list.items.get(petId)?.quantity ?? 0)).toBe(BigInt(one.quantity));
      }
      const petIds = values.flatMap((value) => {
        const petId = isJsonObject(value) ? asInteger(value['petId']) : undefined;
        return petId !== undefined && isInt64(petId) ? [petId] : [];
      });
      expect(new Set(list.petIds)).toEqual(new Set(petIds));
      expect(petIds.filter((petId) => !list.petIds.has(petId))).toEqual([]);
      expect(new Set(list.items.values().map(({ petId }) => petId))).toEqual(new Set(expected.keys()));
    }),
  );
});
