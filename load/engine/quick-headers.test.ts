import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { RATE_LIMIT_HEADERS, readRateLimit } from '../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import { rawHeadersOf } from './engine.test-data.ts';
import { readQuickHeaders } from './quick-headers.ts';

const anyCase = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((upper) =>
      Array.from(name, (letter, index) => (upper[index] === true ? letter.toUpperCase() : letter)).join(''),
    );
const name = fc
  .constantFrom(
    ...RATE_LIMIT_HEADERS.map((header) => header.toLowerCase()),
    // Of the same lengths, so that only the letters tell them apart.
    'x-ratelimit-weeks',
    'x-ratelimit-remainder',
    'x-request-id',
    'content-type',
  )
  .chain(anyCase);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 2 ** 31 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('', '60.5', '1e3', '0x10', 'sixty', '60, 60', '-', '+1', '1 2') },
);
const fields = fc.array(fc.tuple(name, value), { maxLength: 8 });

/** All three present and well, which arbitrary fields rarely are. */
const whole = fc
  .tuple(fields, fc.tuple(fc.nat(), fc.nat(), fc.nat()), fc.nat())
  .map(([others, numbers, at]): readonly HeaderField[] => {
    const rest = others.filter(([field]) => !/^x-ratelimit-(?:limit|remaining|reset)$/i.test(field));
    const own = RATE_LIMIT_HEADERS.map((header, index): [string, string] => [header, String(numbers[index])]);
    return rest.toSpliced(at % (rest.length + 1), 0, ...own);
  });

function read(...parts: readonly string[]) {
  return readQuickHeaders(parts);
}

/** The three as the contract reads them. */
function quickLimit(fields: readonly HeaderField[], toPart: (text: string) => string | Buffer) {
  const { limit, remaining, reset } = readQuickHeaders(rawHeadersOf(fields).map(toPart));
  return limit >= 0 && remaining >= 0 && reset >= 0 ? { limit, remaining, reset } : undefined;
}

describe.each<[string, (text: string) => string | Buffer]>([
  ['strings', (text) => text],
  ['bytes', (text) => Buffer.from(text, 'latin1')],
])('read from %s', (_kind, toPart) => {
  test('they are what the contract reads, or unreadable in both', () => {
    fc.assert(
      fc.property(fc.oneof(fields, whole), (fields) => {
        expect(quickLimit(fields, toPart)).toEqual(readRateLimit(fields));
      }),
      { numRuns: 1_000 },
    );
  });
});

test('what is missing, malformed or repeated is told apart', () => {
  expect(read()).toEqual({ limit: -1, remaining: -1, reset: -1, retryAfter: undefined });
  expect(read('X-RateLimit-Limit', '60', 'x-ratelimit-remaining', 'many').remaining).toBe(-2);
  expect(read('X-RateLimit-Limit', '60', 'X-RateLimit-Limit', '60').limit).toBe(-2);
  expect(read('X-RateLimit-Limit', 'x', 'X-RateLimit-Limit', '60').limit).toBe(-2);
  expect(read('X-RateLimit-Reset', '1790000000', 'Set-Cookie', 'a', 'X-RateLimit-Reset', '1').reset).toBe(-2);
  expect(read('X-RateLimit-Remaining', '-1').remaining).toBe(-2);
});

test('the first Retry-After counts, whatever stands around it', () => {
  const parts = ['Set-Cookie2', 'a', 'RETRY-AFTER', '30', 'Retry-After', '40', 'Content-MD5', 'b'];
  expect(readQuickHeaders(parts).retryAfter).toBe('30');
  expect(readQuickHeaders(['Content-MD5', 'b', 'Set-Cookie2', 'a']).retryAfter).toBeUndefined();
});
