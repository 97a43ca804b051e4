import { describe, expect, test } from 'vitest';

import { readHar, readHarLines } from './har.ts';

const REQUEST = {
  method: 'GET',
  url: 'https://pets.example/v1/inventory',
  headers: [{ name: 'Authorization', value: 'Bearer k' }],
};

const entry = (more: object = {}) => ({
  startedDateTime: '2026-11-22T10:00:00.500Z',
  time: 20,
  request: REQUEST,
  response: { status: 200, headers: [], content: { size: 2, mimeType: 'application/json', text: '[]' } },
  ...more,
});

const har = (...entries: readonly object[]) => JSON.stringify({ log: { version: '1.2', entries } });
const read = (...entries: readonly object[]) => readHar(har(...entries), 'a.har');

describe('an entry', () => {
  test('is an exchange with its moments in Unix milliseconds', () => {
    expect(read(entry())).toEqual([
      {
        request: {
          method: 'GET',
          url: REQUEST.url,
          headers: [['Authorization', 'Bearer k']],
          body: null,
          sentAt: Date.UTC(2026, 10, 22, 10, 0, 0, 500),
        },
        response: { status: 200, headers: [], body: Buffer.from('[]') },
        endedAt: Date.UTC(2026, 10, 22, 10, 0, 0, 520),
      },
    ]);
  });

  test('comes in the order of its beginning, whatever the order of the file', () => {
    const later = entry({ startedDateTime: '2026-11-22T10:00:01Z' });
    expect(read(later, entry()).map(({ request }) => request.sentAt % 10_000)).toEqual([500, 1_000]);
  });

  test('that nobody answered has no response', () => {
    expect(read(entry({ response: { status: 0, headers: [] } }))).toMatchObject([{ response: null }]);
  });

  test.each([{ _fromCache: 'disk' }, { _fromServiceWorker: true }])('with %j asked nothing', (mark) => {
    expect(read(entry(mark))).toEqual([]);
  });

  test('in base64 is decoded, and pseudo-header fields of HTTP/2 are left out', () => {
    const response = {
      status: 200,
      headers: [
        { name: ':status', value: '200' },
        { name: 'date', value: 'today' },
      ],
      content: { text: Buffer.from('[1]').toString('base64'), encoding: 'base64' },
    };
    expect(read(entry({ response }))).toMatchObject([
      { response: { headers: [['date', 'today']], body: Buffer.from('[1]') } },
    ]);
  });

  test.each([
    [
      'the response has no text',
      { response: { status: 200, headers: [], content: { size: 9 } } },
      'response',
    ],
    ['the request has a length only', { request: { ...REQUEST, method: 'PATCH', bodySize: 14 } }, 'request'],
  ] as const)('has an unknown body if %s', (_what, more, side) => {
    expect(read(entry(more))[0]?.[side]).toHaveProperty('body', undefined);
  });
});

describe('a file that is no archive is refused, and what is wrong is named', () => {
  test.each([
    ['[', 'a.har is not JSON'],
    ['{}', "a.har is no HTTP Archive (HAR 1.2): it must have required property 'log'"],
    [har({}), "/log/entries/0 must have required property 'startedDateTime'"],
    [har(entry({ time: '20' })), '/log/entries/0/time must be number'],
    [har(entry({ startedDateTime: 'today' })), 'a.har, entry 0: startedDateTime is no date'],
  ])('%j', (text, message) => {
    expect(() => readHar(text, 'a.har')).toThrow(message);
  });

  test('a line among lines', () => {
    expect(readHarLines(`${JSON.stringify(entry())}\n\n`, 'a.ndjson')).toHaveLength(1);
    expect(() => readHarLines(`${JSON.stringify(entry())}\n{}`, 'a.ndjson')).toThrow(
      "a.ndjson, line 2 is no entry of an HTTP Archive: it must have required property 'startedDateTime'",
    );
  });
});
