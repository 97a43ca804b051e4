import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { readCredential, type KnownSecret } from '../../oracle/index.ts';
import { drawPseudonyms } from './pseudonyms.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';
const key = fc
  .array(fc.constantFrom(...LETTERS.split('')), { minLength: 12, maxLength: 40 })
  .map((letters) => `K${letters.join('')}z`);

/** What may be made of a key. */
const SPELLINGS: readonly ((secret: string) => string)[] = [
  (secret) => `Bearer ${secret}`,
  (secret) => `bearer ${secret}`,
  (secret) => `Bearer  ${secret}`,
  (secret) => `Bearer ${secret.slice(0, -1)}`,
  (secret) => `Bearer ${secret.slice(0, 8)}`,
  (secret) => `Bearer ${secret}x`,
  (secret) => `Bearer ${secret} word`,
  (secret) => `Bearer ${secret.toUpperCase()}`,
  (secret) => `Bearer ${secret.toLowerCase()}`,
  (secret) => `Basic ${secret}`,
  (secret) => `Basic ${Buffer.from(`${secret}:`).toString('base64')}`,
  (secret) => `XBearer ${secret}`,
  (secret) => `Basic Bearer ${secret}`,
  (secret) => `Bearer "${secret}"`,
  (secret) => secret,
  () => 'Bearer nobody-knows-this-key',
  () => '',
];

const spelling = fc.constantFrom(...SPELLINGS);

test('a near miss of a key is the same near miss of its pseudonym, and tells nothing of the key', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { minLength: 1, maxLength: 4 }),
      spelling,
      fc.nat(),
      (keys, spell, pick) => {
        const pseudonyms = drawPseudonyms();
        const secrets = new Map<string, KnownSecret>();
        const standIns = new Map<string, KnownSecret>();
        keys.forEach((secret, index) => {
          const known = { label: `free#${index}`, state: 'valid' } as const;
          secrets.set(secret, known);
          standIns.set(pseudonyms.learn(secret), known);
        });
        const text = spell(keys[pick % keys.length] ?? '');
        const shown = pseudonyms.replace(text);
        expect(readCredential({ authorization: [shown], elsewhere: [] }, standIns)).toEqual(
          readCredential({ authorization: [text], elsewhere: [] }, secrets),
        );
        const told =
          `${shown}\n${Buffer.from(shown.split(' ').at(-1) ?? '', 'base64').toString()}`.toLowerCase();
        expect(keys.filter((secret) => told.includes(secret.slice(0, 8).toLowerCase()))).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test('a key always has the same pseudonym, of its length, and another one each time it is drawn', () => {
  const pseudonyms = drawPseudonyms();
  const pseudonym = pseudonyms.learn('free-Abc123def456');
  expect(pseudonym).toHaveLength('free-Abc123def456'.length);
  expect(pseudonyms.learn('free-Abc123def456')).toBe(pseudonym);
  expect(drawPseudonyms().learn('free-Abc123def456')).not.toBe(pseudonym);
});

test('a key that begins with another one has a pseudonym that does as well', () => {
  const pseudonyms = drawPseudonyms();
  const [short, long] = ['Zebra-Key-1', 'Zebra-Key-1-and-more'].map(pseudonyms.learn);
  expect(long?.startsWith(short ?? '-')).toBe(true);
  const reversed = drawPseudonyms();
  const [whole, part] = ['Zebra-Key-1-and-more', 'Key-1'].map(reversed.learn);
  expect(whole?.slice(6, 11)).toBe(part);
});
