import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';

import { findJsonExcess } from './json-limits.ts';
import { parseJson } from './lossless-json.ts';

function excessOf(text: string): string | undefined {
  const bytes = Buffer.from(text);
  const found = findJsonExcess(bytes.length, (index) => bytes[index] ?? 0);
  expect(findJsonExcess(text.length, (index) => text.charCodeAt(index))).toBe(found);
  return found;
}

const DIGITS = '9'.repeat(1_000_000);

describe('more than is read', () => {
  test.each([
    ['arrays that are never closed', '['.repeat(10_000_000), /^nesting of more than 1000 levels$/],
    ['arrays', `${'['.repeat(1_001)}${']'.repeat(1_001)}`, /^nesting/],
    ['objects', `${'{"a":'.repeat(1_001)}1${'}'.repeat(1_001)}`, /^nesting/],
    ['a million digits', `[{"quantity":${DIGITS}}]`, /^a number of 1000000 characters$/],
    ['a million digits after the point', `[1.${DIGITS}]`, /^a number of 1000002 characters$/],
    ['an exponent of a million digits', `[1e${DIGITS}]`, /^a number of 1000002 characters$/],
    ['a great exponent', '[1,2,1E+999999999]', /^a number with an exponent of more than 400$/],
  ])('is found: %s', (_, text, expected) => {
    expect(excessOf(text)).toMatch(expected);
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  test.each([
    ['nesting of 1,000 levels', `${'['.repeat(1_000)}${']'.repeat(1_000)}`],
    ['many arrays side by side', `[${'[],'.repeat(5_000)}[]]`],
    ['a number of 1,000 digits', DIGITS.slice(0, 1_000)],
    ['a small exponent', '[1e400,1e-999999999]'],
    [
      'the content of a string',
      JSON.stringify(['['.repeat(2_000), DIGITS, '1e999999999', `"\\"${'{'.repeat(2_000)}`]),
    ],
    ['a string that does not end', `["\\${DIGITS}`],
  ])('is not %s', (_, text) => {
    expect(excessOf(text)).toBeUndefined();
  });

  test('is nothing that any ordinary value holds', () => {
    assert(
      property(jsonValue({ maxDepth: 8 }), (value) => {
        expect(excessOf(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });
});
