import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { findJsonSyntaxError } from './json-syntax.ts';

test.each([
  ['', 1, 1, 'unexpected end of JSON input'],
  ['{\n  "a": 1,\n}', 3, 1, 'no comma may stand before "}"'],
  ['{"a": 1 "b": 2}', 1, 9, "expected ',' or '}' after property value"],
  ['{a: 1}', 1, 2, "expected property name or '}'"],
  ["{'a': 1}", 1, 2, 'strings stand in double quotes'],
  ['{\n// note\n}', 2, 1, 'JSON has no comments'],
  ['{"a": "x\n"}', 1, 9, 'bad control character in string literal'],
  ['{"a":\n "b", "c": yes, "d": SECRET}', 2, 12, "unexpected token 'y'"],
  ['{"a": [1, tru}', 1, 14, "unexpected token '}'"],
])('%j stops being JSON at %d:%d', (text, line, column, message) => {
  expect(findJsonSyntaxError(text)).toEqual({ line, column, message });
});

test('of what is no JSON no more than one character is shown', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, position) => {
      const at = position % json.length;
      const found = findJsonSyntaxError(`${json.slice(0, at)}SECRET${json.slice(at)}`);
      expect(found?.message ?? '').not.toContain('SE');
    }),
    { numRuns: 1_000 },
  );
});
