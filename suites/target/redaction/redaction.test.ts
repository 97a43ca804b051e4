import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { createRedactor, redactorOf } from './redaction.ts';
import { decodings, foldCase, needlesOf } from './secret-finder.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const LABEL = 'free#1';

describe('a recorded exchange', () => {
  test('shows no part of a secret if a body is cut', () => {
    const secret = 'S3cr3t'.repeat(6);
    const redactor = redactorOf([[secret, LABEL]]);
    for (const before of [1_965, 1_980, 1_999, 2_000]) {
      const body = `${'x'.repeat(before)}${secret}${'x'.repeat(50)}`;
      const exchange = sampleExchange({ method: 'PATCH', requestBody: body, body });
      const { request, response } = redactor.record(exchange, ORIGIN);
      for (const text of [request.body, response?.body, redactor.curl(exchange, ORIGIN)]) {
        expect(text).not.toContain('S');
      }
    }
  });

  test('has the label where the secret stood, and everything else as it was', () => {
    const redactor = redactorOf([['sk_live+0123456789', 'pro#1']]);
    const exchange = sampleExchange({
      method: 'PATCH',
      path: `/v1/inventory/9007199254740993?api_key=${encodeURIComponent('sk_live+0123456789')}`,
      authorization: 'Bearer sk_live+0123456789',
      requestHeaders: [
        ['Content-Type', 'application/json'],
        ['X-Trace', 'sk_live+0123456789'],
      ],
      requestBody: Buffer.from('{"quantity":5,"note":"sk_live+0123456789"}'),
      status: 401,
      headers: [['X-Echo', 'sk_live+0123456789, twice: sk_live+0123456789']],
      body: '{"message":"sk_live+0123456789 is unknown"}',
      sentAt: 100,
      receivedAt: 112.346,
      startedAt: new Date('2026-01-02T03:04:05.678Z'),
    });
    expect(redactor.record(exchange, ORIGIN)).toEqual({
      request: {
        method: 'PATCH',
        url: 'http://127.0.0.1:8080/v1/inventory/9007199254740993?api_key=pro#1',
        headers: [
          ['Authorization', 'Bearer pro#1'],
          ['Content-Type', 'application/json'],
          ['X-Trace', 'pro#1'],
        ],
        body: '{"quantity":5,"note":"pro#1"}',
      },
      response: {
        status: 401,
        headers: [['X-Echo', 'pro#1, twice: pro#1']],
        body: '{"message":"pro#1 is unknown"}',
        bodyBytes: 43,
      },
      sentAt: '2026-01-02T03:04:05.678Z',
      durationMilliseconds: 12.35,
    });
  });

  test('tells the length of a body that it cuts', () => {
    const exchange = sampleExchange({ body: 'ä'.repeat(5_000) });
    const { response } = createRedactor().record(exchange, ORIGIN);
    expect(response?.bodyBytes).toBe(10_000);
    expect(response?.body).toMatch(/^ä{2000}…$/);
  });
});

describe('redact', () => {
  test.each([
    ['k1', 'free#1'],
    ['Bearer k1', 'Bearer free#1'],
    ['"k1","k1"', '"free#1","free#1"'],
    ['k12 and ask1 and K1', 'k12 and ask1 and K1'],
  ])('replaces a short secret only as a whole word: %s', (text, redacted) => {
    const redactor = redactorOf([['k1', LABEL]]);
    expect(redactor.redact(text)).toBe(redacted);
  });

  test('prefers the longer of two secrets that begin alike', () => {
    const redactor = redactorOf([['0123456789', 'free#1']]);
    redactor.hide('0123456789abc', '[an extension of free#1]');
    expect(redactor.redact('0123456789abc 0123456789')).toBe('[an extension of free#1] free#1');
  });

  test('takes a label as it is', () => {
    const redactor = redactorOf([['0123456789', '$& $1']]);
    expect(redactor.redact('0123456789')).toBe('$& $1');
  });

  test('leaves any text alone if there is nothing to hide', () => {
    const redactor = redactorOf([['', LABEL]]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactor.redact(text)).toBe(text);
      }),
    );
  });
});

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
const neutral = fc.string({ unit: fc.constantFrom(...Array.from(' ,;:"\'<>()[]{}äπ💚\n\t')), maxLength: 8 });

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
        parts: fc.array(fc.tuple(neutral, spelled(key)), { minLength: 1, maxLength: 4 }),
        end: neutral,
      }),
    );
    fc.assert(
      fc.property(texts, ({ key, parts, end }) => {
        const redactor = redactorOf([[key, LABEL]]);
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
    const texts = anyKey.chain((key) => fc.tuple(fc.constant(key), neutral, mixed(key), neutral));
    fc.assert(
      fc.property(texts, ([key, before, spelling, after]) => {
        const redactor = redactorOf([[key, LABEL]]);
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
        const redactor = redactorOf([[key, LABEL]]);
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
    ['Zq\\abcdefGhi', '{"key":"Zq\\\\abcdefGhi"}', '{"key":"free#1"}'],
    ['Zq\\abc\\-efGhi', String.raw`"{\"key\":\"Zq\\\\abc\\\\-efGhi\"}"`, String.raw`"{\"key\":\"free#1\"}"`],
    ['schlüssel-eins', 'a schl%C3%BCssel-eins b SCHLÜSSEL-EINS', 'a free#1 b free#1'],
  ])('%s: %s becomes %s', (key, text, redacted) => {
    const redactor = redactorOf([[key, LABEL]]);
    expect(redactor.redact(text)).toBe(redacted);
  });

  test.each(['\\', '%', '&', '&#', '\\u{0', '&#x0', '%25', '&amp;', '\\\\u005c'])(
    'is looked for in time that grows with the text: %s',
    (part) => {
      const redactor = redactorOf([['free-Amber-Otter-q7RtVx2LkM', LABEL]]);
      const text = part.repeat(50_000);
      expect(redactor.redact(text)).toBe(text);
    },
  );
});
