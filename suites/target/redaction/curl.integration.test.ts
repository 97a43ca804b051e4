import { execFileSync } from 'node:child_process';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { createRedactor } from './redaction.ts';

const ORIGIN = 'http://127.0.0.1:8080';

/** The words that a POSIX shell makes of a curl line, without `curl` itself. */
const wordsOf = (line: string): readonly string[] =>
  execFileSync('sh', ['-c', line.replace(/^curl/, String.raw`printf '%s\0'`)], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('curl', () => {
  const hostile = fc.oneof(
    fc.string({ unit: fc.constantFrom(...Array.from('\'"`$(){}[]<>|&;!#*?~\\ \n\t%=x')) }),
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    fc.constantFrom(
      '$(exit 3)',
      '`exit 3`',
      "'; exit 3; '",
      '\\',
      "'",
      "''",
      '${HOME}',
      '-K/etc/passwd',
      '@/etc/passwd',
    ),
  );

  test('is one command whose words a shell leaves as they are', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (value, body, query) => {
        const exchange = sampleExchange({
          method: 'PATCH',
          path: `/v1/inventory?${query}`,
          authorization: `Bearer ${value}`,
          requestHeaders: [['X-Trace', value]],
          requestBody: body,
        });
        const words = wordsOf(createRedactor().curl(exchange, ORIGIN));
        expect(words).toContain(`Authorization: Bearer ${value}`);
        expect(words).toContain(`X-Trace: ${value}`);
        expect(words).toContain(body);
        expect(words.at(-1)).toBe(`${ORIGIN}/v1/inventory?${query}`);
        expect(words).toHaveLength(11);
      }),
      { numRuns: 60 },
    );
  });

  test('of a list request has no method and no body', () => {
    const exchange = sampleExchange({ authorization: 'Bearer free#1' });
    expect(wordsOf(createRedactor().curl(exchange, ORIGIN))).toEqual([
      '-i',
      '--path-as-is',
      '-H',
      'Authorization: Bearer free#1',
      'http://127.0.0.1:8080/v1/inventory',
    ]);
  });

  test('does not have curl read a file if a body begins with @', () => {
    const exchange = sampleExchange({ method: 'PATCH', requestBody: '@/etc/passwd' });
    const words = wordsOf(createRedactor().curl(exchange, ORIGIN));
    expect(words[words.indexOf('@/etc/passwd') - 1]).toBe('--data-raw');
  });
});
