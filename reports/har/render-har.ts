import { STATUS_CODES } from 'node:http';
import { headerValues } from '../../contract/rate-limit-headers.ts';
import type { HeaderField, RecordedExchange } from '../../contract/verdict.ts';
import type { Report } from '../model/report.ts';

/**
 * The exchanges that findings rest on as an HTTP archive (HAR 1.2), in the order in which they were sent. The comment
 * of an entry names the requirements that it speaks of. Keys are labels, bodies may be cut.
 */
export function renderHar({ requirements, suite }: Report): string {
  const seen = new Map<string, { readonly exchange: RecordedExchange; readonly ids: Set<string> }>();
  for (const { id, findings } of requirements) {
    for (const { exchange } of findings) {
      if (exchange !== undefined) {
        const key = JSON.stringify(exchange);
        const entry = seen.get(key) ?? { exchange, ids: new Set() };
        seen.set(key, entry);
        entry.ids.add(id);
      }
    }
  }
  const entries = [...seen.values()].toSorted((left, right) =>
    left.exchange.sentAt < right.exchange.sentAt ? -1 : 1,
  );
  const log = {
    version: '1.2',
    creator: { name: 'stockcheck', version: suite.version },
    entries: entries.map(({ exchange, ids }) => entryOf(exchange, [...ids].join(', '))),
  };
  return `${JSON.stringify({ log }, null, 2)}\n`;
}

function entryOf(exchange: RecordedExchange, comment: string) {
  const { request, response, sentAt, durationMilliseconds } = exchange;
  return {
    startedDateTime: sentAt,
    time: durationMilliseconds,
    request: requestOf(request),
    response: responseOf(response),
    cache: {},
    timings: { send: 0, wait: durationMilliseconds, receive: 0 },
    comment,
  };
}

const UNKNOWN_SIZE = -1;

/** In place of what is no URL: the format demands one. */
const NO_ADDRESS = 'about:invalid';

function requestOf({ method, url, headers, body }: RecordedExchange['request']) {
  return {
    method,
    url: URL.parse(url)?.href ?? NO_ADDRESS,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(fieldOf),
    queryString: queryOf(url),
    ...(body === null ? {} : { postData: { mimeType: mediaTypeOf(headers), text: body } }),
    headersSize: UNKNOWN_SIZE,
    bodySize: body === null ? 0 : Buffer.byteLength(body),
  };
}

/** A request that was not answered has status 0, as browsers write it. */
function responseOf(response: RecordedExchange['response']) {
  const { status, headers, body, bodyBytes } = response ?? { status: 0, headers: [], body: '', bodyBytes: 0 };
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers.map(fieldOf),
    content: { size: bodyBytes, mimeType: mediaTypeOf(headers), text: body },
    redirectURL: headerValues(headers, 'Location')[0] ?? '',
    headersSize: UNKNOWN_SIZE,
    bodySize: UNKNOWN_SIZE,
  };
}

function fieldOf([name, value]: HeaderField) {
  return { name, value };
}

function mediaTypeOf(headers: readonly HeaderField[]): string {
  return headerValues(headers, 'Content-Type')[0] ?? '';
}

function queryOf(url: string): readonly { readonly name: string; readonly value: string }[] {
  const parsed = URL.parse(url);
  return parsed === null ? [] : [...parsed.searchParams].map(([name, value]) => ({ name, value }));
}
