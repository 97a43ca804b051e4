import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { absoluteUrl } from './base-address.ts';
import { isMask } from './masks.ts';
import { readRecordedBody } from './recorded-body.ts';
import type { TrafficExchange, TrafficRequest } from './traffic-exchange.ts';

/** What a file of recorded traffic holds. */
export interface RecordedTraffic {
  /** In the order of the file. */
  readonly exchanges: readonly TrafficExchange[];
  readonly unreadable: readonly UnreadableEntry[];
  /** Set if its recorder wrote methods in small letters, which are read in capitals. */
  readonly lowersMethods?: true;
}

interface UnreadableEntry {
  /** Where its request went, or `null` if it does not say. */
  readonly url: string | null;
  /** A sentence. */
  readonly problem: string;
}

/**
 * Reads an HTTP Archive 1.2. An entry that cannot be read says so, and hides none of the others.
 * @param named what messages call the file
 * @throws {ConfigurationError} if it is no archive
 */
export function readHar(value: JsonValue, named: string): RecordedTraffic {
  const log = isJsonObject(value) ? value['log'] : undefined;
  const entries = isJsonObject(log) ? log['entries'] : undefined;
  if (!Array.isArray(entries)) {
    throw new ConfigurationError(
      `${named} is no HTTP Archive (HAR 1.2): it has no array "entries" in an object "log"`,
    );
  }
  return readEntries(entries.map((entry, index) => [entry, `${named}, entry ${index}`]));
}

/**
 * Reads a file with one HAR entry on each line (NDJSON).
 * @throws {ConfigurationError} if no line is a JSON object
 */
export function readHarLines(text: string, named: string): RecordedTraffic {
  const lines = text
    .split('\n')
    .map((line, index) => [parseIfPossible(line), `${named}, line ${index + 1}`, line.trim() !== ''] as const)
    .filter(([, , isFilled]) => isFilled);
  if (lines.length > 0 && !lines.some(([value]) => isJsonObject(value))) {
    throw new ConfigurationError(`${named} holds no entry of an HTTP Archive: no line is a JSON object`);
  }
  return readEntries(lines.map(([value, where]) => [value, where]));
}

// The engine's own message quotes the text, which may hold keys.
function parseIfPossible(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An exchange of which it may not be known how long it took. */
interface ReadEntry {
  readonly exchange: Omit<TrafficExchange, 'endedAt'>;
  /** Milliseconds. */
  readonly duration: number | null;
}

// No client waits longer for a response.
const LONGEST_EXCHANGE = 300_000;
// One at least takes as long, in milliseconds; if none did, the times are none, or seconds.
const LEAST_MEASURED = 2;

function readEntries(
  entries: readonly (readonly [value: JsonValue | undefined, where: string])[],
): RecordedTraffic {
  const unreadable: UnreadableEntry[] = [];
  const read: ReadEntry[] = [];
  const recorder: Recorder = {
    tellsSizes: entries.some(([value]) => Number(objectOf(objectOf(value)['response'])['bodySize']) > 0),
    lowersMethods: areLowered(
      entries.map(([value]) => textOf(objectOf(objectOf(value)['request'])['method'])),
    ),
  };
  for (const [value, where] of entries) {
    const entry = readEntry(value, recorder);
    if ('problem' in entry) {
      unreadable.push({ url: entry.url, problem: `${where}: ${entry.problem}.` });
    } else {
      read.push(entry);
    }
  }
  // Some recorders write 0 of all entries, as they do not measure, or seconds; others 0 of what took less than they tell.
  const isMeasured = read.some(({ duration }) => (duration ?? 0) >= LEAST_MEASURED);
  const slack = slackOf(read);
  return {
    exchanges: read.map(({ exchange, duration }) => {
      const { sentAt } = exchange.request;
      const longest = duration === null || !isMeasured ? LONGEST_EXCHANGE : Math.max(duration, 1);
      const endedAt = sentAt + longest + slack;
      return Object.assign({}, exchange, { endedAt });
    }),
    unreadable,
    ...(recorder.lowersMethods ? { lowersMethods: true } : {}),
  };
}

/** What a file tells of its recorder. */
interface Recorder {
  /** Whether it knows how many bytes came in. */
  readonly tellsSizes: boolean;
  readonly lowersMethods: boolean;
}

/** Browsers and libraries send GET in capitals, however a program spells it; `patch` alone may be as it was sent. */
function areLowered(methods: readonly string[]): boolean {
  return methods.includes('get') && !methods.some((method) => /[A-Z]/.test(method));
}

// In milliseconds, and how many entries show that their moments are multiples of it by no chance.
const GRAINS = [
  { grain: 1_000, fewest: 1 },
  { grain: 100, fewest: 5 },
  { grain: 10, fewest: 20 },
] as const;
// Older Windows tells the time anew 64 times a second.
const TICKS_A_SECOND = 64;
const TICK = 16;
const TICKED_ENTRIES = 4 * TICKS_A_SECOND;

/** How much later each may have ended, in milliseconds: a moment that is told in whole seconds may have been any in its second. */
function slackOf(read: readonly ReadEntry[]): number {
  const moments = read.map(({ exchange }) => exchange.request.sentAt);
  const shared = GRAINS.find(
    ({ grain, fewest }) => moments.length >= fewest && moments.every((moment) => moment % grain === 0),
  );
  const isTicked =
    moments.length >= TICKED_ENTRIES &&
    new Set(moments.map((moment) => Math.floor(moment) % 1_000)).size <= TICKS_A_SECOND;
  return shared?.grain ?? (isTicked ? TICK : 0);
}

function readEntry(
  entry: JsonValue | undefined,
  { tellsSizes, lowersMethods }: Recorder,
): ReadEntry | UnreadableEntry {
  if (!isJsonObject(entry)) {
    return { url: null, problem: 'it is no JSON object' };
  }
  const request = objectOf(entry['request']);
  const { method: written, url: asked } = request;
  if (typeof written !== 'string' || typeof asked !== 'string') {
    return { url: null, problem: 'its request has no method or no url' };
  }
  const method = lowersMethods ? written.toUpperCase() : written;
  const url = absoluteUrl(asked);
  const sentAt = momentOf(entry['startedDateTime']);
  if (sentAt === null) {
    return { url, problem: 'its startedDateTime is no date' };
  }
  const headers = eachOnce(headersOf(request['headers']) ?? []);
  const response = responseOf(objectOf(entry['response']));
  const isLocal = response !== null && isAnsweredLocally(entry, tellsSizes);
  return {
    exchange: {
      request: { method, url, headers, body: requestBodyOf(request, method, headers), sentAt },
      response: isLocal ? null : response,
      ...(isLocal ? { isLocal } : {}),
    },
    duration: durationOf(entry),
  };
}

/** Unix milliseconds; some recorders write a number of them, or of seconds. */
function momentOf(value: JsonValue | undefined): number | null {
  const moment =
    typeof value === 'string'
      ? Date.parse(value)
      : typeof value === 'number'
        ? value < 1e11
          ? value * 1_000
          : value
        : Number.NaN;
  return Number.isFinite(moment) ? moment : null;
}

function durationOf({ time, timings }: JsonObject): number | null {
  if (typeof time === 'number' && time > 0) {
    return time;
  }
  const parts = ['blocked', 'dns', 'connect', 'send', 'wait', 'receive']
    .map((name) => objectOf(timings)[name])
    .filter((part) => typeof part === 'number' && part >= 0);
  const sum = parts.reduce<number>((total, part) => total + Number(part), 0);
  // Where no part was measured, 0 is the sum of none.
  return sum > 0 || (time === 0 && parts.length > 0) ? sum : null;
}

function responseOf(response: JsonObject): TrafficExchange['response'] {
  const status = Number(response['status']);
  // An interim response is none (RFC 9110, section 15.2).
  if (!Number.isInteger(status) || status < 200 || status > 999 || hasFailed(response)) {
    return null;
  }
  const fields = undoubled(headersOf(response['headers']));
  const masked = (fields ?? []).filter(([, value]) => isMask(value));
  const headers = (fields ?? []).filter((field) => !masked.includes(field));
  const content = objectOf(response['content']);
  const hasEnded = textOf(response['_error']) === '' && textOf(response['_failureText']) === '';
  const sizes = [content['size'], hasEnded ? 0 : Number.POSITIVE_INFINITY];
  const body = readRecordedBody(content, headers, sizes, response['bodySize']);
  const omittedHeaders = fields === undefined ? 'all' : new Set(masked.map(([name]) => name.toLowerCase()));
  return {
    status,
    headers,
    body,
    ...(omittedHeaders === 'all' || omittedHeaders.size > 0 ? { omittedHeaders } : {}),
  };
}

/** Whether Charles, a proxy, answered by itself, as it got no whole response. */
function hasFailed({ _charlesStatus: status }: JsonObject): boolean {
  return typeof status === 'string' && status !== 'COMPLETE';
}

const WITHOUT_BODY = /^(?:DELETE|GET|HEAD|OPTIONS|TRACE)$/;

function requestBodyOf(
  { postData, bodySize }: JsonObject,
  method: string,
  headers: readonly HeaderField[],
): TrafficRequest['body'] {
  const body = readRecordedBody(postData, headers, [bodySize]);
  if (body !== undefined && body.length > 0) {
    return body;
  }
  const [length] = headerValues(headers, 'Content-Length');
  const { params, text } = objectOf(postData);
  const isOmitted =
    (body === undefined && textOf(text) !== '') ||
    Number(bodySize) > 0 ||
    Number(length ?? 0) !== 0 ||
    headerValues(headers, 'Transfer-Encoding').length > 0 ||
    (Array.isArray(params) && params.length > 0);
  const isNone = length !== undefined || WITHOUT_BODY.test(method);
  return !isNone || isOmitted ? undefined : WITHOUT_BODY.test(method) ? null : (body ?? null);
}

// As browsers and tools spell it, of an entry or of its response: _fromCache, _fromDiskCache, _fetchedViaServiceWorker, …
const MARK =
  /^_?(?:fetched|is|loaded|served|was)?_?(?:from|in|via)?_?(?:disk|memory|prefetch|push)?_?(?:cached?|service_?worker)$/i;
const NO_MARK = /^(?:|0|false|miss|network|no|none|null)$/i;

/**
 * Whether something before the service answered, such as a cache, a service worker or a test's own answer, by an entry
 * of an HTTP Archive: the service may never have seen the request.
 * @param tellsSizes whether its recorder knows how many bytes came in
 */
function isAnsweredLocally(entry: JsonObject, tellsSizes: boolean): boolean {
  const response = objectOf(entry['response']);
  return (
    [entry, response].some((part) =>
      Object.entries(part).some(([name, value]) => MARK.test(name) && !NO_MARK.test(textOf(value))),
    ) ||
    // Safari, Playwright.
    /cache|worker|override/i.test(textOf(entry['_fetchType'])) ||
    entry['_wasFulfilled'] === true ||
    isOfProxy(response) ||
    // Chrome turns to https by itself.
    hasField(response, /^non-authoritative-reason$/i) ||
    isRevalidated(entry, response) ||
    // Nobody answers so afresh (RFC 9111, section 5.1).
    hasField(response, /^age$/i, /^0*[1-9]/) ||
    Number(objectOf(objectOf(entry['cache'])['beforeRequest'])['hitCount']) > 0 ||
    // HAR 1.2 has it so.
    (tellsSizes && response['bodySize'] === 0 && textOf(objectOf(response['content'])['text']) !== '') ||
    leftNoTrace(entry, response)
  );
}

function hasField({ headers }: JsonObject, name: RegExp, value = /(?:)/): boolean {
  return headersOf(headers)?.some(([field, said]) => name.test(field) && value.test(said)) === true;
}

/** Whether a proxy speaks, as its answer says itself. */
function isOfProxy(response: JsonObject): boolean {
  const { status, statusText, content } = response;
  return (
    // It asks for credentials of its own (RFC 9110, section 15.5.8), or to sign in to the network (RFC 6585, section 6).
    status === 407 ||
    status === 511 ||
    (Number(status) >= 500 &&
      (textOf(statusText).startsWith('Fiddler - ') ||
        /^\s*\[Fiddler\]|<title>\s*Charles Error Report\s*<\/title>/i.test(
          textOf(objectOf(content)['text']),
        ) ||
        hasField(response, /^server$/i, /^mitmproxy\b/i)))
  );
}

/** A service answers 304 to a condition; if the request has none, a cache added it. */
function isRevalidated(entry: JsonObject, { status }: JsonObject): boolean {
  return status === 304 && !hasField(objectOf(entry['request']), /^if-(?:none-match|modified-since)$/i);
}

/** Whether there is a status, and nothing tells of a connection: no address, no bytes, no time, no fields. */
function leftNoTrace(entry: JsonObject, response: JsonObject): boolean {
  const { serverIPAddress: address, time, timings } = entry;
  const { httpVersion, bodySize, _transferSize: transferred } = response;
  if (transferred === 0 && (address ?? '') === '') {
    return true;
  }
  const isTimed = Number(objectOf(timings)['wait'] ?? 0) > 0;
  const isInstant = !(Number(time ?? 0) > 0);
  const isBare =
    headersOf(response['headers']) === undefined &&
    (httpVersion === '' || (timings !== undefined && timings !== null && isInstant));
  const isNowhere = address === '' && isInstant && !(Number(bodySize) > 0) && !(Number(transferred) > 0);
  return !isTimed && (isBare || isNowhere);
}

/** Some recorders write what a browser asked for beside what it sent. */
function eachOnce(fields: readonly HeaderField[]): readonly HeaderField[] {
  return [
    ...new Map(fields.map((field) => [`${field[0].toLowerCase()}: ${field[1]}`, field] as const)).values(),
  ];
}

// No service sends one of them twice.
const SENT_ONCE = /^(?:content-length|date|server)$/i;

/** Some recorders write all that a browser tells in two places. */
function undoubled(fields: readonly HeaderField[] | undefined): readonly HeaderField[] | undefined {
  const once = fields === undefined ? [] : eachOnce(fields);
  const areTwice = fields?.length === 2 * once.length && once.some(([name]) => SENT_ONCE.test(name));
  return areTwice ? once : fields;
}

// Reads members of an HTTP Archive, which its recorder may have left out or written as something else.

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? `${value}`
    : '';
}

/** Without the pseudo-header fields of HTTP/2 but the host; `undefined` if none was recorded, as any message has one. */
function headersOf(fields: JsonValue | undefined): readonly HeaderField[] | undefined {
  if (!Array.isArray(fields) || fields.length === 0) {
    return undefined;
  }
  return fields
    .map((field: JsonValue) => objectOf(field))
    .flatMap(({ name, value }) =>
      // Some libraries keep the values of a name in an array.
      (Array.isArray(value) ? value : [value]).map((one: JsonValue | undefined): HeaderField => [
        textOf(name).replace(/^:authority$/, 'Host'),
        textOf(one).trim(),
      ]),
    )
    .filter(([name]) => name !== '' && !name.startsWith(':'));
}
