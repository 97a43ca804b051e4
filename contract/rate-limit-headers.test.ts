import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  headerValues,
  RATE_LIMIT_HEADERS,
  readRateLimit,
  readRateLimitHeader,
} from './rate-limit-headers.ts';
import type { HeaderField } from './verdict.ts';

const LIMIT = 'X-RateLimit-Limit';

const fields = (limit: string, remaining: string, reset: string): readonly HeaderField[] => [
  ['Date', 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ['x-ratelimit-limit', limit],
  ['X-RATELIMIT-REMAINING', remaining],
  ['X-RateLimit-Reset', reset],
];

test('headerValues finds a name in any letter-case, and keeps the order of the values', () => {
  const headers: readonly HeaderField[] = [
    ['X-A', '1'],
    ['X-AB', '2'],
    ['x-a', '3'],
  ];
  expect(headerValues(headers, 'X-a')).toEqual(['1', '3']);
  expect(headerValues(headers, 'X-B')).toEqual([]);
});

describe('readRateLimitHeader', () => {
  test('reads a decimal integer', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(readRateLimitHeader([[LIMIT, `${value}`]], LIMIT)).toEqual({ state: 'ok', value });
      }),
    );
  });

  test('takes the largest int64 for an integer too', () => {
    expect(readRateLimitHeader([[LIMIT, '9223372036854775807']], LIMIT)).toEqual({
      state: 'ok',
      value: 2 ** 63,
    });
  });

  test('reports a missing header', () => {
    expect(readRateLimitHeader([['X-RateLimit-Limits', '60']], LIMIT)).toEqual({ state: 'missing' });
  });

  test('reports a repeated header, even with one value', () => {
    const headers: readonly HeaderField[] = [
      [LIMIT, '60'],
      ['x-ratelimit-limit', '60'],
    ];
    expect(readRateLimitHeader(headers, LIMIT)).toEqual({ state: 'repeated', values: ['60', '60'] });
  });

  test.each([
    '',
    ' ',
    '60 ',
    '+60',
    '60.0',
    '6e1',
    '0x3c',
    '60, 60',
    '60;w=60',
    '1,000',
    'unlimited',
    '٦٠',
    '-',
  ])('calls %j malformed', (value) => {
    expect(readRateLimitHeader([[LIMIT, value]], LIMIT)).toEqual({ state: 'malformed', value });
  });
});

describe('readRateLimit', () => {
  test('reads the three headers', () => {
    expect(readRateLimit(fields('60', '59', '1790000060'))).toEqual({
      limit: 60,
      remaining: 59,
      reset: 1_790_000_060,
    });
  });

  test.each([...RATE_LIMIT_HEADERS])('reads nothing if %s is missing, repeated or malformed', (name) => {
    const complete = fields('60', '59', '1790000060');
    const without = complete.filter(([field]) => field.toLowerCase() !== name.toLowerCase());
    expect(readRateLimit(without)).toBeUndefined();
    expect(readRateLimit([...complete, [name, '1']])).toBeUndefined();
    expect(readRateLimit([...without, [name, 'soon']])).toBeUndefined();
  });
});
