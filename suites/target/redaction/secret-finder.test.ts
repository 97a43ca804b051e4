import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { createRedactor } from './redaction.ts';
import { decodings, foldCase, needlesOf } from './spellings.ts';

const LABEL = 'free#1';
const KEY_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=';

/** A key as a bearer token may be spelled (RFC 6750, section 2.1), long enough to be looked for anywhere. */
const anyKey = fc.string({
  unit: fc.constantFrom(...Array.from(KEY_CHARACTERS)),
  minLength: 8,
  maxLength: 48,
});

const hex = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).padStart(digits, '0');

/** The ways in which one character may be written. */
const SPELLINGS: readonly ((character: string) => string)[] = [
  (character) => character,
  (character) => character.toLowerCase(),
  (character) => character.toUpperCase(),
  (character) => `\\u${hex(character, 4)}`,
  (character) => `\\u${hex(character, 4).toUpperCase()}`,
  (character) => `\\\\u${hex(character, 4)}`,
  (character) => `\\u{${hex(character, 2)}}`,
  (character) => `\\x${hex(character, 2)}`,
  (character) => (/[a-z0-9]/i.test(character) ? character : `\\${character}`),
  (character) => `%${hex(character, 2)}`,
  (character) => `%${hex(character, 2).toUpperCase()}`,
  (character) => `%25${hex(character, 2)}`,
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&#x${hex(character, 2)};`,
  (character) => `&#X000${hex(character, 2).toUpperCase()};`,
  (character) => `&amp;#${character.charCodeAt(0)};`,
  (character) => ({ '/': '&sol;', '+': '&plus;', '=': '&equals;', '.': '&period;' })[character] ?? character,
];

const mixed = (key: string): fc.Arbitrary<string> =>
  fc
    .tuple(...Array.from(key, () => fc.constantFrom(...SPELLINGS)))
    .map((ways) => ways.map((write, index) => write(key[index] ?? '')).join(''));

const ENCODINGS: readonly ((key: string) => string)[] = [
  (key) => key,
  encodeURIComponent,
  (key) => new URLSearchParams({ key }).toString(),
  (key) => JSON.stringify(JSON.stringify(key)),
  (key) => Buffer.from(key).toString('base64'),
  (key) => Buffer.from(key).toString('base64url'),
  (key) => encodeURIComponent(Buffer.from(`Bearer ${key}`).toString('base64')),
  (key) => Buffer.from(`user:${key}`).toString('base64'),
  (key) => Buffer.from(`x:${key}:y`).toString('base64'),
  (key) => Buffer.from(key).toString('hex'),
  (key) => Buffer.from(key).toString('hex').toUpperCase(),
];

const spelled = (key: string): fc.Arbitrary<string> =>
  fc.oneof(
    mixed(key),
    fc.constantFrom(...ENCODINGS).map((encode) => encode(key)),
  );

/** What may stand around a key, without being one of its characters in some spelling. */
const filler = fc.string({ unit: fc.constantFrom(...Array.from(' ,;:"\'<>()[]{}äπ💚\n\t')), maxLength: 8 });

/** Whether anybody can still read the key out of the text. */
function isReadable(text: string, key: string): boolean {
  const needles = needlesOf(key);
  return decodings(text).some((layer) => {
    const folded = foldCase(layer.text);
    return folded.includes(foldCase(key)) || needles.some((needle) => folded.includes(needle.text));
  });
}

describe('a key', () => {
  test('is not left in a text in any spelling, and what is around it stays', () => {
    const texts = anyKey.chain((key) =>
      fc.record({
        key: fc.constant(key),
        parts: fc.array(fc.tuple(filler, spelled(key)), { minLength: 1, maxLength: 4 }),
        end: filler,
      }),
    );
    fc.assert(
      fc.property(texts, ({ key, parts, end }) => {
        const redactor = createRedactor();
        redactor.hide(key, LABEL);
        const redacted = redactor.redact(parts.map(([before, spelling]) => before + spelling).join('') + end);
        expect(isReadable(redacted, key)).toBe(false);
        expect(redacted.startsWith(parts[0]?.[0] ?? '')).toBe(true);
        expect(redacted).toContain(LABEL);
        expect(redacted.endsWith(end)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test('alone is replaced alone', () => {
    const texts = anyKey.chain((key) => fc.tuple(fc.constant(key), filler, mixed(key), filler));
    fc.assert(
      fc.property(texts, ([key, before, spelling, after]) => {
        const redactor = createRedactor();
        redactor.hide(key, LABEL);
        expect(redactor.redact(before + spelling + after)).toBe(before + LABEL + after);
      }),
    );
  });

  test('that is not there changes nothing', () => {
    const words = fc.array(
      fc.oneof(
        fc.string({ maxLength: 30 }),
        fc.json(),
        fc.webUrl({ withQueryParameters: true }),
        fc.base64String(),
      ),
    );
    fc.assert(
      fc.property(fc.uuid(), words, (key, texts) => {
        const redactor = createRedactor();
        redactor.hide(key, LABEL);
        const text = texts.join(' ');
        expect(redactor.redact(text)).toBe(text);
      }),
    );
  });

  test('of many is found by its own label', () => {
    const redactor = createRedactor();
    const keys = Array.from({ length: 500 }, (_, index) => `free-Amber-Otter-${index}-q7RtVx2LkM`);
    keys.forEach((key, index) => redactor.hide(key, `free#${index}`));
    expect(redactor.redact(keys.map((key) => `<${key}>`).join(''))).toBe(
      keys.map((_key, index) => `<free#${index}>`).join(''),
    );
  });

  test.each([
    ['k1', '{"key":"\\u006b1"}', '{"key":"free#1"}'],
    ['k1', 'Basic QmVhcmVyIGsx', 'Basic free#1'],
    ['k1', '?key=%6B%31&x=k12', '?key=free#1&x=k12'],
    ['schlüssel-eins', 'a schl%C3%BCssel-eins b SCHLÜSSEL-EINS', 'a free#1 b free#1'],
  ])('%s: %s becomes %s', (key, text, redacted) => {
    const redactor = createRedactor();
    redactor.hide(key, LABEL);
    expect(redactor.redact(text)).toBe(redacted);
  });

  test.each(['\\', '%', '&', '&#', '\\u{0', '&#x0', '%25', '&amp;', '\\\\u005c'])(
    'is looked for in time that grows with the text: %s',
    (part) => {
      const redactor = createRedactor();
      redactor.hide('free-Amber-Otter-q7RtVx2LkM', LABEL);
      const text = part.repeat(50_000);
      expect(redactor.redact(text)).toBe(text);
    },
  );
});
