import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { findJsonSyntaxError } from './json-syntax.ts';

test.each([
  ['', 1, 1, 'expected a value, but the text ends'],
  ['{\n  "a": 1,\n}', 3, 1, 'no comma may stand before "}"'],
  ['[1,]', 1, 4, 'no comma may stand before "]"'],
  ['{"a": 1 "b": 2}', 1, 9, 'expected "," or "}", not "\\""'],
  ['[1 2]', 1, 4, 'expected "," or "]", not "2"'],
  ['{"a" 1}', 1, 6, 'expected ":", not "1"'],
  ['{a: 1}', 1, 2, 'expected a name in double quotes or "}", not "a"'],
  ['{"a": 1, b: 2}', 1, 10, 'expected a name in double quotes, not "b"'],
  ["{'a': 1}", 1, 2, 'strings stand in double quotes'],
  ['{\n// note\n}', 2, 1, 'JSON has no comments'],
  ['{"a": "x\n"}', 1, 7, 'a string that has no end or holds a character that must be escaped'],
  ['{"a": 01}', 1, 7, 'expected a value, not "0"'],
  ['{"a": yes}', 1, 7, 'expected a value, not "y"'],
  ['{"a": [1, 2', 1, 12, 'expected "," or "]", but the text ends'],
  ['[}', 1, 2, 'expected a value or "]", not "}"'],
  ['{} {}', 1, 4, 'expected nothing more, not "{"'],
])('%j stops being JSON at %d:%d', (text, line, column, message) => {
  expect(findJsonSyntaxError(text)).toEqual({ line, column, message });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('JSON has no error', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat({ max: 3 }), (text, indent) => {
      expect(findJsonSyntaxError(text)).toBeUndefined();
      expect(findJsonSyntaxError(JSON.stringify(JSON.parse(text), null, indent))).toBeUndefined();
    }),
  );
});

test('a text has an error exactly if the engine refuses it', () => {
  const piece = fc.constantFrom(...'{ } [ ] , : "a" " 1 - .5 e3 null'.split(' '), ' ', '\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      expect(findJsonSyntaxError(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 2_000 },
  );
});

test('one character more or less in JSON is judged as the engine judges it', () => {
  const edits = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '\\', '\u0001', '0'));
  fc.assert(
    fc.property(edits, ([json, position, inserted]) => {
      const at = position % json.length;
      const text = json.slice(0, at) + inserted + json.slice(inserted === '' ? at + 1 : at);
      expect(findJsonSyntaxError(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 1_000 },
  );
});
