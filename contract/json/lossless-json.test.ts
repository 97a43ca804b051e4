import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  asInteger,
  INT64_MAX,
  INT64_MIN,
  isInt64,
  isJsonObject,
  parseJson,
  stringifyJson,
  type JsonValue,
} from './lossless-json.ts';

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const wider = fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n });

/** A JSON value as `parseJson` makes it: an integer is a `bigint` only if a double cannot hold it. */
const { anyValue } = fc.letrec<{ anyValue: JsonValue }>((tie) => ({
  anyValue: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.string(),
    fc.oneof(int64, wider).map(inNormalForm),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(inNormalForm),
    fc.array(tie('anyValue')),
    fc.dictionary(fc.string(), tie('anyValue')),
  ),
}));

function inNormalForm(value: number | bigint): number | bigint {
  const integer = asInteger(value);
  if (integer === undefined) {
    return value;
  }
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

describe('parseJson', () => {
  test('gives back what stringifyJson wrote', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(undefined, 2), (value, indent) => {
        expect(parseJson(stringifyJson(value, indent))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps every digit of an integer, anywhere in the text', () => {
    fc.assert(
      fc.property(fc.oneof(int64, wider), (integer) => {
        const parsed = parseJson(`{"a":[0,{"b":${integer}}],"c":"${integer}"}`);
        expect(stringifyJson(parsed)).toBe(`{"a":[0,{"b":${integer}}],"c":"${integer}"}`);
      }),
    );
  });

  test('reads an integer that is written with a fraction and an exponent', () => {
    const point = fc.nat({ max: 20 });
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 25n }), point, point, (integer, shift, zeros) => {
        const digits = `${integer}`.padStart(shift + 1, '0') + '0'.repeat(zeros);
        const split = digits.length - shift - zeros;
        const fraction = digits.slice(split);
        const literal = `${digits.slice(0, split)}${fraction === '' ? '' : `.${fraction}`}e${shift}`;
        expect(asInteger(parseJson(literal))).toBe(integer);
        expect(asInteger(parseJson(`-${literal.replace('e', 'E+')}`))).toBe(-integer);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['1.0', 1],
    ['1e2', 100],
    ['100e-2', 1],
    ['9007199254740993.0', 9_007_199_254_740_993n],
    ['9.007199254740993e15', 9_007_199_254_740_993n],
    ['900719925474.0993e4', 9_007_199_254_740_993n],
    ['90071992547409930e-1', 9_007_199_254_740_993n],
    ['123456789012e9', 123_456_789_012_000_000_000n],
    ['-9223372036854775808', -9_223_372_036_854_775_808n],
    ['1e30', 10n ** 30n],
    ['1.5', 1.5],
    ['1e-1', 0.1],
    ['1.5e300', 15n * 10n ** 299n],
    ['0.12345678901234567', Number('0.12345678901234567')],
  ])('reads %s', (literal, expected) => {
    expect(parseJson(literal)).toBe(expected);
  });

  test('agrees with JSON.parse if doubles suffice', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const unsafe: unknown[] = [];
        const expected: unknown = JSON.parse(text, (_member, value: unknown) => {
          if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
            unsafe.push(value);
          }
          return value;
        });
        fc.pre(unsafe.length === 0);
        expect(parseJson(text)).toEqual(expected);
      }),
    );
  });

  test('refuses what JSON.parse refuses, with a SyntaxError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((text) => `${text},`),
        ),
        fc.boolean(),
        (text, long) => {
          const candidate = long ? `${text} 9007199254740993` : text;
          fc.pre(!isJson(candidate));
          expect(() => parseJson(candidate)).toThrow(SyntaxError);
        },
      ),
    );
  });

  test('refuses exactness at a depth that it cannot reach, with a SyntaxError', () => {
    const nested = `${'['.repeat(200_000)}9007199254740993${']'.repeat(200_000)}`;
    expect(() => parseJson(nested)).toThrow(SyntaxError);
  });

  test('keeps the last of duplicate members and a member named __proto__', () => {
    const value = parseJson('{"a":9007199254740993,"a":9007199254740995,"__proto__":9007199254740997}');
    expect(isJsonObject(value) ? Object.entries(value) : []).toEqual([
      ['a', 9_007_199_254_740_995n],
      ['__proto__', 9_007_199_254_740_997n],
    ]);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('stringifyJson writes integers without quotes and indents as asked', () => {
  expect(stringifyJson({ petId: INT64_MAX, ids: [1n, 2] })).toBe('{"petId":9223372036854775807,"ids":[1,2]}');
  expect(stringifyJson([2n ** 53n + 1n], 2)).toBe('[\n  9007199254740993\n]');
});

test.each<[JsonValue | undefined, bigint | undefined]>([
  [5, 5n],
  [5n, 5n],
  [-0, 0n],
  [1.5, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  ['5', undefined],
  [true, undefined],
  [null, undefined],
  [[5], undefined],
  [{}, undefined],
  [undefined, undefined],
])('asInteger of %s', (value, expected) => {
  expect(asInteger(value)).toBe(expected);
});

test('isInt64 knows the least and the greatest', () => {
  const edges = [INT64_MIN - 1n, INT64_MIN, INT64_MAX, INT64_MAX + 1n];
  expect(edges.filter(isInt64)).toEqual([-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n]);
});

test('isJsonObject is of objects alone', () => {
  const values: (JsonValue | undefined)[] = [[], null, '{}', undefined, { a: 1 }];
  expect(values.filter(isJsonObject)).toEqual([{ a: 1 }]);
});
