import {
  array,
  assert,
  bigInt,
  constant,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  property,
  record,
  shuffledSubarray,
  tuple,
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

const space = oneof(
  { weight: 60, arbitrary: constantFrom('', '', ' ', '\n\t \r') },
  constantFrom('\u000b', '\u00a0', '\ufeff'),
);
const integer = oneof(
  bigInt({ min: -60n, max: 160n }).map(String),
  bigInt({ min: 10n ** 14n, max: 2n * 10n ** 16n }).map(String),
  bigInt({ min: INT64_MIN - 9n, max: INT64_MIN + 9n }).map(String),
  bigInt({ min: INT64_MAX - 9n, max: INT64_MAX + 9n }).map(String),
  bigInt().map(String),
);
const oddValue = constantFrom(
  '-0',
  '-',
  '01',
  '-01',
  '00',
  '1.0',
  '1.5',
  '1e2',
  '1E+401',
  '"1"',
  'null',
  '"gone"',
  '"sold',
  'sold',
  '',
  '"s\\u006fld"',
  '"\u0001"',
  '[1,{"a":"]}\\""}]',
  '{"petId":1}',
  `${'['.repeat(1_001)}${']'.repeat(1_001)}`,
);
const oddName = constantFrom(
  '"pet\\u0049d"',
  '"petid"',
  '"petId"',
  '"quantity"',
  '"status"',
  '"extra"',
  '"__proto__"',
  'petId',
  '',
);
const known = tuple(
  tuple(constant('"petId"'), oneof({ weight: 19, arbitrary: integer }, oddValue)),
  tuple(constant('"quantity"'), oneof({ weight: 19, arbitrary: integer }, oddValue)),
  tuple(
    constant('"status"'),
    oneof({ weight: 19, arbitrary: constantFrom('"available"', '"pending"', '"sold"') }, oddValue),
  ),
).chain((all) => shuffledSubarray(all, { minLength: 3 }));
const further = array(tuple(oddName, oneof(integer, oddValue)), { minLength: 1, maxLength: 2 });
const renamed = tuple(known, nat(2), oddName).map(([all, which, name]) =>
  all.map((member, index): readonly [string, string] => (index === which ? [name, member[1]] : member)),
);
const comma = oneof({ weight: 40, arbitrary: constant(',') }, constantFrom(' ', ',,', ':'));
/** An entry as it is written, most often the three members that belong there. */
const entry = tuple(
  oneof(
    { weight: 12, arbitrary: known },
    tuple(known, further).map((parts) => parts.flat()),
    renamed,
  ),
  space,
  comma,
).map(
  ([written, gap, between]) =>
    `{${gap}${written.map(([name, value]) => `${name}${gap}:${gap}${value}${gap}`).join(`${between}${gap}`)}}`,
);
const separator = oneof({ weight: 60, arbitrary: constant(',') }, constantFrom(',,', '', '],['));
const tail = oneof({ weight: 20, arbitrary: constant('') }, constantFrom(',', ']', '['));
const mark = oneof({ weight: 9, arbitrary: constant('') }, constantFrom('\ufeff', '\ufeff\ufeff'));
const damage = oneof(
  { weight: 3, arbitrary: constant(null) },
  record({ at: nat(), length: nat(3), bytes: uint8Array({ maxLength: 3 }) }),
);

/** What is read by way of the text and a value for each entry; `undefined` if that is no list. */
function readAsText(body: Buffer) {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return Array.isArray(value) ? shown(readList(value)) : undefined;
  } catch {
    return undefined;
  }
}

// So many are read as values in any case.
const SAMPLE = Array.from({ length: 50 }, (_, index) => `{"petId":${index},"quantity":7,"status":"sold"}`);

test('a long list holds the same byte by byte as by way of its text, whatever stands there', () => {
  let lists = 0;
  assert(
    property(
      array(tuple(entry, separator), { maxLength: 3 }),
      tail,
      mark,
      space,
      damage,
      (parts, end, start, gap, harm) => {
        const own = parts.map(([text, before]) => `${before}${gap}${text}${gap}`).join('');
        const text = `${start}${gap}[${gap}${SAMPLE.join()}${own}${end}${gap}]${gap}`;
        const whole = Buffer.from(text);
        const at = harm === null ? 0 : harm.at % whole.length;
        const body =
          harm === null
            ? whole
            : Buffer.concat([whole.subarray(0, at), harm.bytes, whole.subarray(at + harm.length)]);
        const list = readLongList(body);
        lists += list === undefined ? 0 : 1;
        expect(list && shown(list)).toEqual(readAsText(body));
      },
    ),
    { numRuns: 1_000 },
  );
  expect(lists).toBeGreaterThan(100);
});

test.each([
  '{:1,"petId":2,"status":"sold"}',
  '{"petId":2;"quantity":1,"status":"sold"}',
  `{"petId":${'7'.repeat(1_001)},"quantity":1,"status":"sold"}`,
])('a long list with the entry %s is none', (text) => {
  expect(readLongList(Buffer.from(`[${SAMPLE.join()},${text}]`))).toBeUndefined();
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
