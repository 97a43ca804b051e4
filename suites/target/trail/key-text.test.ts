import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { partsOf, type KeyText } from '../../../contract/trail.ts';
import { credentialVariants } from '../../../fixtures/corpora/index.ts';
import { withKeys, withoutKeys } from './key-text.ts';

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.split('');
const KEY = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 16, maxLength: 16 })
  .map((characters) => `free-${characters.slice(0, 8).join('')}-${characters.slice(8).join('')}`);

function literalsOf(text: KeyText): string {
  return partsOf(text)
    .flatMap((part) => (typeof part === 'object' && 'base64' in part ? part.base64 : [part]))
    .map((part) => (typeof part === 'string' ? part : '\n'))
    .join('');
}

test('a text with a key in any of the spellings of the corpus is put together again, and shows no stretch of it', () => {
  fc.assert(
    fc.property(KEY, KEY, (key, other) => {
      for (const { authorization, name } of credentialVariants(key, [])) {
        for (const value of authorization) {
          const parts = withoutKeys(value, [other, key]);
          expect([name, withKeys(parts, [other, key])]).toEqual([name, value]);
          expect(stretchesOf(key).filter((stretch) => literalsOf(parts).includes(stretch))).toEqual([]);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test('with another key it presents that one in the same spelling', () => {
  fc.assert(
    fc.property(KEY, KEY, (key, other) => {
      const again = new Map(credentialVariants(other, []).map((variant) => [variant.name, variant]));
      for (const { authorization, name } of credentialVariants(key, [])) {
        const expected = again.get(name)?.authorization;
        const played = authorization.map((value) => withKeys(withoutKeys(value, [key]), [other]));
        expect([name, played]).toEqual([name, expected]);
      }
    }),
    { numRuns: 50 },
  );
});

test('a key of another length is cut at the same end', () => {
  const [key, other] = ['pro-Kestrel-a1b2c3d4e5', 'another-key-that-is-longer-Zz99'];
  const again = (text: string): string => withKeys(withoutKeys(text, [key]), [other]);
  expect(again(`Bearer ${key.slice(0, -1)}`)).toBe(`Bearer ${other.slice(0, -1)}`);
  expect(again(`Bearer x${key}`)).toBe(`Bearer x${other}`);
  expect(again(`Basic ${Buffer.from(`${key}:`).toString('base64')}`)).toBe(
    `Basic ${Buffer.from(`${other}:`).toString('base64')}`,
  );
});

test('a text without a key stays one', () => {
  for (const text of ['', '/inventory/7', 'Bearer Never-Issued-Kestrel', 'application/json']) {
    expect(withKeys(withoutKeys(text, ['free-Amber-Otter-q7RtVx2LkM']), [])).toBe(text);
  }
});

test('what a key has in common with a scheme or with a few letters of a token stays as it is', () => {
  const key = 'free-xxEARExx-q7RtVx2LkM';
  expect(withoutKeys('Bearer other', [key])).toEqual(['Bearer ', 'other']);
  expect(withoutKeys(`Bearer ${key}`, [key])).toEqual(['Bearer ', { key: 1 }]);
  expect(withoutKeys('Bearer q7RtV', [key])).toEqual(['Bearer ', 'q7RtV']);
});

function stretchesOf(key: string): readonly string[] {
  return Array.from({ length: key.length - 7 }, (_, index) => key.slice(index, index + 8));
}
