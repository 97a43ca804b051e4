import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import type { HeaderField } from '../../contract/verdict.ts';
import { createRedactor } from '../../suites/target/index.ts';
import {
  judgeRecordings,
  readHar,
  type TrafficExchange,
  type TrafficFindings,
} from '../../suites/watch/index.ts';
import { alterationOf } from '../verify/run.test-data.ts';
import { BASE, failedIn, askForList, record, setTo, type Sent } from './recorded-traffic.test-data.ts';
import { parseJson } from '../../contract/json/index.ts';

/** What a recorder writes of an exchange, beside or in place of what all of them do. */
interface Writing {
  readonly entry?: object;
  readonly request?: object;
  readonly response?: object;
  readonly content?: object;
}

/** How a recorder writes, and what it adds that never reached the service, or that cannot be read. */
interface Dialect {
  readonly write?: (exchange: TrafficExchange, body: string) => Writing;
  /** What follows the true entries, each made of a good one. */
  readonly odd?: readonly Writing[];
  /** What of it is counted. */
  readonly counts?: Partial<TrafficFindings>;
  /** Faults that cannot be seen in it. */
  readonly hides?: readonly string[];
}

const namesAndValues = (fields: readonly HeaderField[]) => fields.map(([name, value]) => ({ name, value }));

/** A record of what the service answered some minutes before, so that it would be accused if it answered that now. */
const STALE = { status: 200, httpVersion: 'HTTP/1.1', headers: [{ name: 'Age', value: '300' }], bodySize: 0 };
const PAGE = { ...STALE, bodySize: 80 };
const ZEROES = { send: 0, wait: 0, receive: 0 };
const BARE = { ...STALE, httpVersion: '', headers: [], bodySize: -1 };

function entryOf({ request, response, endedAt }: TrafficExchange, { entry, ...parts }: Writing): object {
  const body = response?.body?.toString() ?? '';
  const { method, url, headers, sentAt } = request;
  return {
    startedDateTime: new Date(sentAt).toISOString(),
    time: endedAt - sentAt,
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      headers: namesAndValues([['Host', 'pets.example'], ...headers]),
      bodySize: request.body?.length ?? 0,
      ...(typeof request.body === 'string'
        ? { postData: { mimeType: 'application/json', text: request.body } }
        : {}),
      ...parts.request,
    },
    response: {
      status: response?.status ?? 0,
      httpVersion: 'HTTP/1.1',
      headers: namesAndValues(response?.headers ?? []),
      bodySize: body.length,
      content: { size: body.length, mimeType: 'application/json', text: body, ...parts.content },
      ...parts.response,
    },
    cache: {},
    timings: { send: 1, wait: 3, receive: 1 },
    serverIPAddress: '203.0.113.7',
    ...entry,
  };
}

/** The header fields of an exchange with another one. */
const plus = ({ response }: TrafficExchange, ...more: readonly HeaderField[]) =>
  namesAndValues([...(response?.headers ?? []), ...more]);

/** With an extension, and a trailer. */
const chunked = (body: string): string =>
  `5;a=b\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\nX-Sum: 1\r\n\r\n`;

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'Chrome and Edge': {
    write: ({ response, request }, body) => ({
      entry: {
        _priority: 'High',
        _resourceType: 'fetch',
        connection: '443',
        timings: { blocked: 1, dns: -1, send: 0.1, wait: 3 },
      },
      request: {
        headers: namesAndValues([[':authority', 'pets.example'], ...request.headers]),
        httpVersion: 'http/2.0',
      },
      response: {
        headers: namesAndValues([[':status', '200'], ...(response?.headers ?? [])]),
        bodySize: -1,
        _transferSize: body.length + 300,
        _error: null,
        _fetchedViaServiceWorker: false,
      },
    }),
    odd: [
      { entry: { _fromCache: 'disk' }, response: STALE },
      { entry: { _fromCache: 'memory' }, response: { ...STALE, status: 304 } },
      {
        response: { ...STALE, _fetchedViaServiceWorker: true, _serviceWorkerResponseSource: 'cache-storage' },
      },
      { entry: { serverIPAddress: '' }, response: { ...STALE, _transferSize: 0 } },
      {
        response: { ...STALE, status: 307, headers: namesAndValues([['Non-Authoritative-Reason', 'HSTS']]) },
      },
      {
        entry: { serverIPAddress: '' },
        response: { ...BARE, status: 0, _error: 'net::ERR_BLOCKED_BY_CLIENT', _transferSize: 0 },
      },
    ],
    counts: { local: 5, unanswered: 1 },
  },
  Firefox: {
    write: ({ request: { sentAt } }) => ({
      entry: {
        startedDateTime: new Date(sentAt + 7_200_000).toISOString().replace('Z', '+02:00'),
        _securityState: 'secure',
      },
    }),
    odd: [
      { entry: { timings: {}, serverIPAddress: undefined }, response: BARE },
      { entry: { timings: {}, time: 0 }, response: { ...STALE, status: 304, headers: [] } },
      {
        entry: { timings: {}, time: 0 },
        response: { ...BARE, status: 0 },
        content: { size: 0, text: undefined },
      },
    ],
    counts: { local: 2, unanswered: 1 },
  },
  'Firefox, which keeps the header fields of what it has in its cache': {
    odd: [
      { response: { ...STALE, httpVersion: 'HTTP/2' } },
      { entry: { time: 0, timings: ZEROES }, response: { ...BARE, httpVersion: 'HTTP/2' } },
    ],
    counts: { local: 2 },
  },
  'a tool that knows no sizes': {
    write: () => ({ response: { bodySize: 0 } }),
  },
  'transfers that were cut off': {
    write: (_exchange, body) => ({
      response: { _error: 'net::ERR_ABORTED' },
      content: { size: 0, text: body.slice(0, -1) },
    }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  Safari: {
    write: () => ({ entry: { _fetchType: 'Network Load', _serverPort: 443 } }),
    odd: ['Memory Cache', 'Disk Cache', 'Service Worker', 'Inspector Override'].map((type) => ({
      entry: { _fetchType: type, time: 0, timings: ZEROES },
      response: STALE,
    })),
    counts: { local: 4 },
  },
  'a tool that spells it in its own way': {
    odd: [
      { entry: { fromCache: true }, response: STALE },
      { entry: { _served_from_cache: 1 }, response: STALE },
      { entry: { _cached: '1' }, response: STALE },
      { response: { ...STALE, _fromDiskCache: true } },
      { response: { ...STALE, _fromPrefetchCache: true } },
      { response: { ...STALE, _fromServiceWorker: true } },
      { entry: { serverIPAddress: '', time: 0, timings: ZEROES }, response: STALE },
    ],
    counts: { local: 7 },
  },
  'Playwright and Puppeteer': {
    write: () => ({ response: { bodySize: -1, headersSize: -1, _transferSize: -1 } }),
    odd: [
      { entry: { _wasFulfilled: true }, response: STALE },
      {
        entry: { _wasAborted: true, time: -1, timings: { send: -1, wait: -1, receive: -1 } },
        response: { ...BARE, status: -1 },
        content: { size: -1, text: undefined },
      },
    ],
    counts: { local: 1, unanswered: 1 },
  },
  Charles: {
    write: () => ({ response: { _charlesStatus: 'COMPLETE', statusText: null } }),
    odd: [
      {
        entry: { time: -1 },
        response: { ...STALE, status: 503, _charlesStatus: 'EXCEPTION' },
        content: { text: 'Charles Error Report' },
      },
    ],
    counts: { unanswered: 1 },
  },
  'Fiddler and Burp, all bodies in base64': {
    write: ({ request: { sentAt } }, body) => ({
      entry: { startedDateTime: new Date(sentAt).toISOString().replace('Z', '0000+00:00') },
      content: { text: Buffer.from(body).toString('base64'), encoding: 'base64' },
    }),
    odd: [{ entry: { response: null } }, { entry: { response: {} } }],
    counts: { unanswered: 2 },
  },
  'proxies that could not reach the service': {
    odd: [
      { response: { ...PAGE, status: 502, statusText: 'Fiddler - Connection Failed' } },
      { response: { ...PAGE, status: 504 }, content: { text: '[Fiddler] ReadResponse() failed' } },
      { response: { ...PAGE, status: 503 }, content: { text: '<title>Charles Error Report</title>' } },
      { response: { ...PAGE, status: 502, headers: namesAndValues([['Server', 'mitmproxy 10.1']]) } },
      { response: { ...PAGE, status: 511 } },
    ],
    counts: { local: 5 },
  },
  'mitmproxy, with the size of what came in': {
    write: ({ request: { sentAt }, ...exchange }, body) => ({
      entry: { startedDateTime: new Date(sentAt).toISOString().replace('Z', '000+00:00') },
      response: {
        headers: namesAndValues([...(exchange.response?.headers ?? []), ['Content-Encoding', 'gzip']]),
      },
      content: { size: gzipSync(body).length, compression: body.length - gzipSync(body).length },
    }),
  },
  'ZAP, k6, Insomnia and Postman, which do not know much': {
    write: () => ({
      entry: { serverIPAddress: '', timings: { send: -1, wait: -1, receive: -1 } },
      request: { headersSize: -1, bodySize: -1 },
      response: { httpVersion: '', headersSize: -1, bodySize: -1 },
      content: { size: -1 },
    }),
  },
  'a sanitizer': {
    write: ({ request: { headers } }) => ({
      request: {
        headers: namesAndValues([
          ['Host', 'pets.example'],
          ...headers.map(([name, value]): HeaderField => [name, name === 'Authorization' ? '' : value]),
        ]),
      },
    }),
  },
  'a sanitizer that leaves the scheme': {
    write: ({ request: { headers } }) => ({
      request: {
        headers: namesAndValues(
          headers.map(([name, value]): HeaderField => [name, name === 'Authorization' ? 'Bearer' : value]),
        ),
      },
    }),
  },
  'responses without header fields': {
    write: () => ({ response: { headers: [] } }),
    counts: { withoutHeaders: 5 },
    hides: ['header-reset'],
  },
  'no header fields at all': {
    write: () => ({ request: { headers: [] }, response: { headers: [] } }),
    counts: { withoutHeaders: 5 },
    hides: ['header-reset', 'update-succeeds', 'update-missing-quantity'],
  },
  'mitmproxy, which streams': {
    write: ({ response }) => ({
      response: {
        headers: namesAndValues((response?.headers ?? []).filter(([name]) => name !== 'Content-Length')),
        bodySize: 0,
      },
      content: { size: 0, compression: 0, text: '' },
    }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'bodies that are cut': {
    write: (_exchange, body) => ({ content: { text: body.slice(0, -1) } }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'bodies that are cut, and a note': {
    write: (_exchange, body) => ({ content: { size: 0, text: `${body.slice(0, -1)}… [truncated]` } }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'compressed bodies in base64': {
    write: (exchange, body) => ({
      content: { text: gzipSync(body).toString('base64'), encoding: 'base64' },
      response: { headers: plus(exchange, ['Content-Encoding', 'gzip']) },
    }),
  },
  'compressed bodies in base64, without header fields': {
    write: (_exchange, body) => ({
      content: { text: gzipSync(body).toString('base64'), encoding: 'base64' },
      response: { headers: [] },
    }),
    hides: ['header-reset'],
  },
  'compressed bodies taken for text': {
    write: (exchange, body) => ({
      content: { text: gzipSync(body).toString() },
      response: { headers: plus(exchange, ['Content-Encoding', 'gzip']) },
    }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'bodies that are cut, and their size as well': {
    write: (_exchange, body) => ({
      content: { size: 20, text: body.slice(0, 20) },
      response: { bodySize: body.length },
    }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'chrome-har, which writes request fields twice, and twice the size of a body': {
    write: ({ request: { headers } }, body) => ({
      request: { headers: namesAndValues([['Host', 'pets.example'], ...headers, ...headers]) },
      content: { size: 2 * body.length },
    }),
  },
  'Chrome, with "provisional headers" of a request': {
    write: ({ request: { headers, body } }) => ({
      request: {
        headers: namesAndValues(
          body === '{"quantity":6}'
            ? [['Referer', 'https://shop.example/']]
            : [[':authority', 'pets.example'], ...headers],
        ),
      },
    }),
  },
  'a script that writes what it did not get': {
    write: ({ response }) => ({
      response: {
        headers: namesAndValues((response?.headers ?? []).filter(([name]) => name !== 'Content-Length')),
      },
      content: { size: 0, text: 'undefined' },
    }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'bodies in base64, with no word of it': {
    write: (_exchange, body) => ({ content: { text: Buffer.from(body).toString('base64') } }),
  },
  'compressed bodies in base64, with no word of it': {
    write: (exchange, body) => ({
      content: { size: 0, text: gzipSync(body).toString('base64') },
      response: { headers: plus(exchange, ['Content-Encoding', 'gzip']) },
    }),
  },
  'a part of bodies in base64, with no word of it': {
    write: (_exchange, body) => ({ content: { text: Buffer.from(body).toString('base64').slice(0, 40) } }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'bodies in chunks': {
    write: (exchange, body) => ({
      content: { text: chunked(body) },
      response: { headers: plus(exchange, ['Transfer-Encoding', 'chunked']) },
    }),
  },
  'bodies in chunks that are cut': {
    write: (_exchange, body) => ({ content: { size: -1, text: chunked(body).slice(0, -20) } }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status'],
  },
  'a sanitizer that hides numbers in header fields': {
    write: ({ response }) => ({
      response: {
        headers: namesAndValues(
          (response?.headers ?? []).map(([name, value]) => [name, value.replace(/^\d{10}$/, '[Filtered]')]),
        ),
      },
    }),
    counts: { withoutHeaders: 5 },
  },
  'a sanitizer that hides numbers in bodies': {
    write: (_exchange, body) => ({ content: { size: -1, text: body.replaceAll(/\d{2,}/g, '"[redacted]"') } }),
    counts: { withoutBody: 3 },
    hides: ['item-status'],
  },
  'a sanitizer that leaves stars and the last digits': {
    write: (_exchange, body) => ({
      content: { size: -1, text: body.replaceAll(/\d{16,}/g, (digits) => `************${digits.slice(-4)}`) },
    }),
    counts: { withoutBody: 2 },
    hides: ['item-status'],
  },
  'a sanitizer that hides all bodies': {
    write: () => ({ request: { postData: { text: '<masked>' } }, content: { size: -1, text: '[Filtered]' } }),
    counts: { withoutBody: 5 },
    hides: ['update-succeeds', 'item-status', 'update-missing-quantity'],
  },
  'a tool that writes templates for what was sent': {
    write: ({ request: { body } }) => ({
      request: {
        bodySize: -1,
        postData: { text: (body?.toString() ?? '').replace(/\d+/, '{{quantity}}') },
      },
    }),
    counts: { withoutBody: 2 },
    hides: ['update-succeeds'],
  },
  'a script in a page, which sees few header fields': {
    write: ({ response }) => ({
      response: {
        headers: namesAndValues((response?.headers ?? []).filter(([name]) => name === 'Content-Type')),
      },
    }),
    counts: { withoutHeaders: 5 },
    hides: ['header-reset'],
  },
  'bodies that are written as JSON strings': {
    write: (_exchange, body) => ({ content: { text: JSON.stringify(body) } }),
  },
  'a cache that HTTP or the archive tells of': {
    odd: [
      { response: { ...STALE, bodySize: 80 } },
      { entry: { cache: { beforeRequest: { hitCount: 1 } } }, response: PAGE },
    ],
    counts: { local: 2 },
  },
  'a tool that writes methods in small letters': {
    write: ({ request: { method } }) => ({ request: { method: method.toLowerCase() } }),
    counts: { lowered: 5 },
  },
};

const TRAFFIC: readonly Sent[] = [
  askForList,
  setTo(5),
  ['good', 'PATCH', '/inventory/1', '{}'],
  setTo(6),
  askForList,
];

async function judgeDialect(
  { write, odd = [] }: Dialect,
  faults: readonly string[] = [],
): Promise<TrafficFindings> {
  const recorded = await record(TRAFFIC, { alterations: faults.map(alterationOf) });
  const entries = recorded.map((exchange) =>
    entryOf(exchange, write?.(exchange, exchange.response?.body?.toString() ?? '') ?? {}),
  );
  const last = recorded.at(-1);
  const more = last === undefined ? [] : odd.map((writing) => entryOf(last, writing));
  const recording = readHar(parseJson(JSON.stringify({ log: { entries: [...more, ...entries] } })), 'a.har');
  return judgeRecordings([recording], {
    base: BASE,
    keys: [],
    redactor: createRedactor(),
    isExclusive: false,
  });
}

/** By what each breaks. */
const FAULTS = {
  'header-reset': 'headers-in-one-field',
  'update-succeeds': 'update-answered-with-old-quantity',
  'item-status': 'status-capitalised',
  'update-missing-quantity': 'missing-quantity-sets-zero',
} as const;

describe.each(Object.entries(DIALECTS))('a recording of %s', (_name, dialect) => {
  test('does not accuse a service that keeps the specification, and tells what is left out', async () => {
    const findings = await judgeDialect(dialect);
    expect(failedIn(findings)).toEqual([]);
    expect(findings).toMatchObject({ exchanges: 5 + (dialect.counts?.unanswered ?? 0), ...dialect.counts });
  });

  test.each(Object.entries(FAULTS).filter(([id]) => !(dialect.hides ?? []).includes(id)))(
    'shows that %s is broken by %s',
    async (id, fault) => {
      expect(failedIn(await judgeDialect(dialect, [fault]))).toContain(id);
    },
  );
});
