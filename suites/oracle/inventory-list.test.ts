import {
  array,
  assert,
  bigInt,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  property,
  record,
  uint8Array,
} from 'fast-check';
import { expect, test } from 'vitest';

import {
  asInteger,
  INT64_MAX,
  INT64_MIN,
  isInt64,
  isJsonObject,
  parseJson,
  stringifyJson,
  type JsonValue,
} from '../../contract/json/index.ts';
import { readInventoryItem } from '../../contract/inventory.ts';
import { readList, readLongList, type InventoryList } from './inventory-list.ts';

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

const shown = ({ items, petIds, problems, ...rest }: InventoryList) => ({
  ...rest,
  items: new Map(
    items
      .values()
      .map(({ petId, quantity, ...others }) => [petId, { ...others, quantity: BigInt(quantity) }]),
  ),
  petIds: [...petIds],
  problems: new Map(problems),
});

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

test('a long list holds the same when it is read bit by bit', () => {
  const filler = 'x'.repeat(300_000);
  assert(
    property(entries, (values) => {
      const text = stringifyJson([...values, filler, ...values, `]},{${filler}`, filler, filler, ...values]);
      const whole = parseJson(text);
      const expected = readList(Array.isArray(whole) ? whole : []);
      expect(shown(readLongList(Buffer.from(` ${text}\n`)) ?? readList([]))).toEqual(shown(expected));
    }),
    { numRuns: 10 },
  );
});

/** What is read by way of the whole text; `undefined` if that is no list. */
function readAsText(body: Buffer) {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return Array.isArray(value) ? shown(readList(value)) : undefined;
  } catch {
    return undefined;
  }
}

test('a long list is the same list or none part by part as by way of its text, wherever that is damaged', () => {
  const damage = record({ at: nat(), length: nat(3), bytes: uint8Array({ maxLength: 3 }) });
  assert(
    property(
      entries,
      constantFrom('', '\ufeff', '\ufeff\ufeff'),
      damage,
      (values, mark, { at, length, bytes }) => {
        const whole = Buffer.from(`${mark}${stringifyJson(values)}`);
        const place = at % whole.length;
        const body = Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(place + length)]);
        const list = readLongList(body);
        expect(list && shown(list)).toEqual(readAsText(body));
      },
    ),
    { numRuns: 1_000 },
  );
});

test.each([
  '{:1,"petId":2,"status":"sold"}',
  '{"petId":2;"quantity":1,"status":"sold"}',
  `{"petId":${'7'.repeat(1_001)},"quantity":1,"status":"sold"}`,
])('a long list with the entry %s is none', (text) => {
  expect(readLongList(Buffer.from(`[1,${text}]`))).toBeUndefined();
});

test.each(['', '{}', '[1', '[1,]', '[,1]', '[1][2]', '[1]x', 'x[1]', '[1]]', '[[1]', '["]', '[\u0001]'])(
  '%j is no list',
  (text) => {
    expect(readLongList(Buffer.from(text))).toBeUndefined();
  },
);

test('text that is not UTF-8 is no list', () => {
  expect(readLongList(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toBeUndefined();
});

test.each(['[]', ' [ ] ', '[[]]', '[1,2]', '["\\"]"]'])('%j is one', (text) => {
  expect(readLongList(Buffer.from(text))).toMatchObject({ length: JSON.parse(text).length });
});
