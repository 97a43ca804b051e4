import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { PET_STATUSES } from '../../../contract/inventory.ts';
import {
  INT64_MAX,
  INT64_MIN,
  parseJson,
  stringifyJson,
  type JsonValue,
} from '../../../contract/json/index.ts';
import { compareItems, compareLists } from './compare-inventory.ts';

const BEYOND = 9_007_199_254_740_993n;
const PETS: JsonValue = [
  { petId: 1, quantity: 5, status: 'available' },
  { petId: BEYOND, quantity: 0, status: 'sold' },
];

const pet = (petId: bigint): JsonValue => ({ petId, quantity: 0, status: 'sold' });

const item = fc.record({
  petId: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  quantity: fc.integer(),
  status: fc.constantFrom(...PET_STATUSES),
});
const items = fc.uniqueArray(item, { selector: ({ petId }) => petId.toString(), maxLength: 12 });

/** As it would come from the wire. */
const wire = (value: JsonValue): JsonValue => parseJson(stringifyJson(value));

describe('compareLists', () => {
  test('agrees with any list in any order, with further members, and with petIds as text or number', () => {
    fc.assert(
      fc.property(items, fc.infiniteStream(fc.boolean()), (entries, asText) => {
        const reported = entries.toReversed().map(({ petId, quantity, status }) => ({
          note: 'x',
          petId: asText.next().value === true ? petId.toString() : petId,
          quantity,
          status,
        }));
        expect(compareLists(wire(entries), wire(reported))).toBeNull();
      }),
    );
  });

  test('finds any entry that is left out, doubled or changed', () => {
    const some = items.filter((entries) => entries.length > 0);
    fc.assert(
      fc.property(some, fc.nat(), fc.integer({ min: 1, max: 9 }), (entries, at, by) => {
        const index = at % entries.length;
        const [chosen] = entries.slice(index);
        if (chosen === undefined) {
          return;
        }
        const others = entries.filter((entry) => entry !== chosen);
        const { petId, quantity, status } = chosen;
        for (const wrong of [
          others,
          [...entries, chosen],
          [...others, { petId: petId + BigInt(by), quantity, status }],
          [...others, { petId, quantity: quantity + by, status }],
          [...others, { petId, quantity, status: 'lost' }],
        ]) {
          expect(compareLists(wire(entries), wire(wrong))).not.toBeNull();
        }
      }),
    );
  });

  test.each<[string, JsonValue, string]>([
    ['an object', { items: PETS }, 'The answer was an array, and the report is an object.'],
    ['nothing', null, 'The answer was an array, and the report is null.'],
    ['text', '[]', 'The answer was an array, and the report is a string.'],
    ['an empty list', [], '2 of 2 pets that were answered are missing from the report, such as 1.'],
    ['entries that are none', [1], 'Entry 0 of the report has no integer petId.'],
    [
      'a petId with a sign of floating point',
      [{ petId: '1.0' }],
      'Entry 0 of the report has no integer petId.',
    ],
  ])('says of %s what is wrong', (_what, reported, message) => {
    expect(compareLists(PETS, reported)?.message).toBe(message);
  });

  test('tells lost digits by what became of them', () => {
    const reported = [
      { petId: 1, quantity: 5, status: 'available' },
      { petId: 9_007_199_254_740_992n, quantity: 0, status: 'sold' },
    ];
    const difference = compareLists(PETS, reported);
    expect(difference?.message).toBe(
      'Pet 9007199254740992 is reported, which was not answered; 1 of 2 pets that were answered is missing from the report, such as 9007199254740993.',
    );
    expect(difference?.change).toContain('64 bits');
  });

  test('takes the pet of another list for no lost digits, though others lost theirs', () => {
    const answered = [pet(BEYOND), pet(2n ** 33n - 1n)];
    const change = (petId: bigint) => compareLists(answered, [pet(petId), pet(BEYOND - 1n)])?.change;
    expect(change(24n)).toContain('Report every entry');
    expect(change(2n ** 32n - 1n)).toContain('64 bits');
    expect(change(-1n)).toContain('64 bits');
  });

  test.each<[JsonValue, string]>([
    ['5', 'quantity 5, and reported with "5"'],
    [null, 'quantity 5, and reported with null'],
    [5.5, 'quantity 5, and reported with 5.5'],
    [{}, 'quantity 5, and reported with an object'],
  ])('does not take %j for the quantity 5', (quantity, message) => {
    const reported = [{ petId: 1, quantity, status: 'available' }];
    expect(compareLists([{ petId: 1, quantity: 5, status: 'available' }], reported)?.message).toContain(
      message,
    );
  });

  test('distinguishes a petId that was rounded to that of another pet from a wrong quantity', () => {
    const neighbours: JsonValue = [
      { petId: BEYOND - 1n, quantity: 3, status: 'sold' },
      { petId: BEYOND, quantity: 8, status: 'sold' },
    ];
    const rounded: JsonValue = [
      { petId: BEYOND - 1n, quantity: 3, status: 'sold' },
      { petId: BEYOND - 1n, quantity: 8, status: 'sold' },
    ];
    expect(compareLists(neighbours, rounded)).toEqual({
      message: `Pet ${BEYOND - 1n} is reported more than once; 1 of 2 pets that were answered is missing from the report, such as ${BEYOND}.`,
      change: expect.stringContaining('64 bits'),
    });
  });

  test('compares with nothing that is no list', () => {
    expect(compareLists({ code: 'c' }, PETS)).toBeNull();
  });
});

describe('compareItems', () => {
  const answered = { petId: BEYOND, quantity: 7, status: 'sold' };

  test.each<JsonValue>([
    answered,
    { ...answered, petId: '9007199254740993', further: [] },
    { ...answered, quantity: 7n },
  ])('agrees with %o', (reported) => {
    expect(compareItems(answered, reported)).toBeNull();
  });

  test.each<[JsonValue, string]>([
    [null, 'the report is null'],
    [[answered], 'the report is an array'],
    [{ quantity: 7, status: 'sold' }, 'an object without an integer petId'],
    [{ ...answered, petId: Number(BEYOND) }, 'Pet 9007199254740992 is reported'],
    [{ ...answered, quantity: 8 }, 'quantity 7, and reported with 8'],
    [{ ...answered, status: 'SOLD' }, 'status "sold", and reported with "SOLD"'],
    [{ petId: BEYOND, quantity: 7 }, 'status "sold", and reported with none'],
  ])('does not agree with %o', (reported, message) => {
    expect(compareItems(answered, reported)?.message).toContain(message);
  });

  test('compares with nothing that is no item', () => {
    expect(compareItems([], answered)).toBeNull();
  });
});
