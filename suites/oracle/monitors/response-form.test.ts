import { expect, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import { responseForm } from './response-form.ts';
import { freeKey, watch } from './watch.test-data.ts';

function observed(headers: readonly HeaderField[], status = 200) {
  return Object.fromEntries(
    watch(responseForm, { operation: 'listInventory', status, headers }, { key: freeKey() }).observed,
  );
}

test.each<[string, readonly HeaderField[], object]>([
  [
    'as the specification has it',
    [
      ['X-RateLimit-Limit', '60'],
      ['Date', 'Sun, 06 Nov 1994 08:49:37 GMT'],
      ['Content-Length', '2'],
      ['Content-Type', 'application/json'],
    ],
    {
      'response-form.header names': 'as documented',
      'response-form.date': 'present',
      'response-form.framing': 'Content-Length',
      'response-form.media type': 'application/json',
    },
  ],
  [
    'in small letters, without a date, in chunks on a connection that closes',
    [
      ['x-ratelimit-limit', '60'],
      ['transfer-encoding', 'chunked'],
      ['connection', 'Close'],
    ],
    {
      'response-form.header names': 'small letters',
      'response-form.date': 'none',
      'response-form.framing': 'in chunks, and the connection closes',
    },
  ],
  [
    'in capitals',
    [['X-RATELIMIT-LIMIT', '60']],
    {
      'response-form.header names': 'otherwise',
      'response-form.date': 'none',
      'response-form.framing': 'in chunks',
    },
  ],
])('a response %s', (_how, headers, expected) => {
  expect(observed(headers)).toEqual(expected);
});

test('what was refused tells nothing, since others may answer in place of the service', () => {
  expect(observed([['Date', 'soon']], 404)).toEqual({});
});

test('a connection that the client wants closed tells nothing of how responses are framed', () => {
  const requestHeaders: readonly HeaderField[] = [['Connection', 'close']];
  const headers: readonly HeaderField[] = [['Connection', 'close']];
  const { observed: values } = watch(responseForm, { requestHeaders, headers }, { key: freeKey() });
  expect(values.map(([name]) => name)).not.toContain('response-form.framing');
});
