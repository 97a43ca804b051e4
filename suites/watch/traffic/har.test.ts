import { describe, expect, test } from 'vitest';

import { parseJson } from '../../../contract/json/index.ts';
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
  response: {
    status: 200,
    headers: [{ name: 'Date', value: 'today' }],
    content: { size: 2, mimeType: 'application/json', text: '[]' },
  },
  ...more,
});

const har = (...entries: readonly object[]) =>
  parseJson(JSON.stringify({ log: { version: '1.2', entries } }));
const read = (...entries: readonly object[]) => readHar(har(...entries), 'a.har').exchanges;

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
        response: { status: 200, headers: [['Date', 'today']], body: Buffer.from('[]') },
        endedAt: Date.UTC(2026, 10, 22, 10, 0, 0, 520),
      },
    ]);
  });

  test('is not decoded if what is recorded has the length that was sent', () => {
    const text = Buffer.from('[1]').toString('base64');
    const headers = [{ name: 'Content-Length', value: `${text.length}` }];
    expect(read(entry({ response: { status: 200, headers, content: { text } } }))).toMatchObject([
      { response: { body: Buffer.from(text) } },
    ]);
  });

  test.each([
    [
      'the response has no text',
      { response: { status: 200, headers: [], content: { size: 9 } } },
      'response',
    ],
    ['the request has a length only', { request: { ...REQUEST, method: 'PATCH', bodySize: 14 } }, 'request'],
    [
      'its text may be JSON in base64, or what was sent',
      { response: { status: 200, headers: [], content: { text: btoa('[1]'), size: btoa('[1]').length } } },
      'response',
    ],
  ] as const)('has an unknown body if %s', (_what, more, side) => {
    expect(read(entry(more))[0]?.[side]).toHaveProperty('body', undefined);
  });
});

describe('a file that is no archive is refused', () => {
  test.each([
    ['{}', 'a.har is no HTTP Archive (HAR 1.2): it has no array "entries" in an object "log"'],
    ['{"log":{"entries":{}}}', 'a.har is no HTTP Archive'],
  ])('%j', (text, message) => {
    expect(() => readHar(parseJson(text), 'a.har')).toThrow(message);
  });

  test('as is one of lines without an object', () => {
    expect(() => readHarLines('<html>\n</html>\n', 'a.ndjson')).toThrow('no line is a JSON object');
  });
});

test.each<[string, object, string]>([
  ['entry 0: its startedDateTime is no date.', { startedDateTime: 'today' }, REQUEST.url],
  ['entry 0: its request has no method or no url.', { request: { method: 'GET' } }, ''],
])('an entry that cannot be read hides no other: %s', (problem, more, url) => {
  const { exchanges, unreadable } = readHar(har(entry(more), entry()), 'a.har');
  expect(exchanges).toHaveLength(1);
  expect(unreadable).toEqual([{ url: url === '' ? null : url, problem: `a.har, ${problem}` }]);
});

test.each([
  [
    ['get', 'patch'],
    ['GET', 'PATCH'],
  ],
  [
    ['GET', 'patch'],
    ['GET', 'patch'],
  ],
  // As `fetch` sends it if a program spells it so.
  [['patch'], ['patch']],
])('methods that are recorded as %j are read as %j', (written, methods) => {
  const exchanges = read(...written.map((method) => entry({ request: { ...REQUEST, method } })));
  expect(exchanges.map(({ request }) => request.method)).toEqual(methods);
});

test('a line that was cut off hides no other', () => {
  const { exchanges, unreadable } = readHarLines(`${JSON.stringify(entry())}\n\n{"startedDa`, 'a.ndjson');
  expect(exchanges).toHaveLength(1);
  expect(unreadable).toEqual([{ url: null, problem: 'a.ndjson, line 3: it is no JSON object.' }]);
});

/** Of entries that began in these seconds and took so long. */
const durationsOf = (time: number, ...seconds: readonly number[]) =>
  read(...seconds.map((second) => entry({ time, startedDateTime: `2026-11-22T10:00:0${second}Z` }))).map(
    ({ request, endedAt }) => endedAt - request.sentAt,
  );

describe('how long an entry took', () => {
  test.each<[string, object, number]>([
    ['is its time', {}, 20],
    [
      'is the sum of its timings if it has no time',
      { time: null, timings: { dns: -1, wait: 5, receive: 2 } },
      7,
    ],
    ['is not known if no time is any of milliseconds', { time: 0.23 }, 300_000],
    ['is not known if it has neither, so that it may have ended minutes later', { time: null }, 300_000],
  ])('%s', (_what, more, duration) => {
    const [exchange] = read(entry(more));
    expect((exchange?.endedAt ?? 0) - (exchange?.request.sentAt ?? 0)).toBe(duration);
  });

  test('may be a second more if moments are told in whole seconds', () => {
    expect(durationsOf(600, 1, 1, 2)).toEqual([1_600, 1_600, 1_600]);
  });

  test('is not known if all are said to have taken none', () => {
    expect(durationsOf(0, 1, 2)).toEqual([301_000, 301_000]);
  });
});

test.each([
  ['HTTPS://Pets.Example/v1/inventory', REQUEST.url],
  ['https://pets.example:443/v1/inventory#top', REQUEST.url],
  ['http://PETS.example:80/V1/a?B#c', 'http://pets.example/V1/a?B'],
  ['http://pets.example:8080/v1', 'http://pets.example:8080/v1'],
  ['blob:https://a', 'blob:https://a'],
])('%s is read as %s', (url, same) => {
  expect(read(entry({ request: { ...REQUEST, url } }))).toMatchObject([{ request: { url: same } }]);
});

const patch = (headers: Readonly<Record<string, string>>, more: object) =>
  read(
    entry({
      request: {
        method: 'PATCH',
        url: `${REQUEST.url}/1`,
        headers: Object.entries({ Host: 'pets.example', ...headers }).map(([name, value]) => ({
          name,
          value,
        })),
        ...more,
      },
    }),
  )[0]?.request.body;

const JSON_TYPE = { 'Content-Type': 'application/json' };

test.each([
  ['in an array, as some libraries keep them', [{ name: 'Date', value: ['today'] }]],
  ['in two places, each of them', [1, 2].map(() => ({ name: 'Date', value: 'today' }))],
])('a field that is written %s stands there once', (_what, headers) => {
  expect(read(entry({ response: { status: 200, headers, content: { text: '[]' } } }))).toMatchObject([
    { response: { headers: [['Date', 'today']] } },
  ]);
});

test.each([
  ['of which no part was measured', {}, 300_000],
  ['that took less than its recorder tells', { send: 0, wait: 0 }, 1],
])('an exchange of 0 ms %s', (_what, timings, longest) => {
  const [exchange] = read(entry({ time: 0, timings }), entry());
  expect((exchange?.endedAt ?? 0) - (exchange?.request.sentAt ?? 0)).toBe(longest);
});

test.each([
  ['in whole seconds', 1_000, 3, 1_000],
  ['in tenths of a second', 100, 9, 100],
  ['in hundredths, by chance', 10, 9, 0],
  ['by a clock that ticks 64 times a second', 15.625, 300, 16],
])('moments that are told %s may have been later', (_how, grain, entries, slack) => {
  const startedAt = (number: number): string =>
    new Date(Date.UTC(2026, 10, 22, 10) + Math.floor(number * 7 * grain)).toISOString();
  const exchanges = read(
    ...Array.from({ length: entries }, (_, number) => entry({ startedDateTime: startedAt(number) })),
  );
  expect(exchanges.map(({ request, endedAt }) => endedAt - request.sentAt)).toEqual(
    exchanges.map(() => 20 + slack),
  );
});

describe('the body of an update', () => {
  test.each<[string, Readonly<Record<string, string>>, object]>([
    ['whose size is not known', {}, { bodySize: -1 }],
    ['that is said to be empty, and has a type', JSON_TYPE, { bodySize: 0 }],
    ['that was cut', { ...JSON_TYPE, 'Content-Length': '14' }, { postData: { text: '{"quantity"' } }],
    ['of a size of 0 that nothing else tells', {}, { bodySize: 0 }],
    ['that was left out', { 'Content-Length': '14' }, { postData: { text: '' } }],
    [
      "that ends nowhere, of no length but the recorder's",
      JSON_TYPE,
      { bodySize: 13, postData: { text: '{"quantity":5' } },
    ],
    ['that is JSON in a JSON string, of no size', JSON_TYPE, { postData: { text: '"{\\"quantity\\":5}"' } }],
    ['that is a form', {}, { bodySize: 0, postData: { params: [{ name: 'quantity', value: '1' }] } }],
  ])('%s is not known', (_what, headers, more) => {
    expect(patch(headers, more)).toBeUndefined();
  });

  test('is known if it is there, or if there was none', () => {
    expect(patch(JSON_TYPE, { bodySize: 14, postData: { text: '{"quantity":5' } })).toBeUndefined();
    const cutByItsSender = { ...JSON_TYPE, 'Content-Length': '13' };
    expect(patch(cutByItsSender, { bodySize: 13, postData: { text: '{"quantity":5' } })).toEqual(
      Buffer.from('{"quantity":5'),
    );
    expect(patch({ 'Content-Length': '0' }, { postData: { text: '' } })).toEqual(Buffer.alloc(0));
  });
});
