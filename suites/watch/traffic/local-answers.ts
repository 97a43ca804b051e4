import type { JsonObject, JsonValue } from '../../../contract/json/index.ts';
import { fieldsOf, objectOf, textOf } from './har-members.ts';

// As browsers and tools spell it, of an entry or of its response: _fromCache, _fromDiskCache, _fetchedViaServiceWorker, …
const MARK =
  /^_?(?:fetched|is|loaded|served|was)?_?(?:from|in|via)?_?(?:disk|memory|prefetch|push)?_?(?:cached?|service_?worker)$/i;
const NO_MARK = /^(?:|0|false|miss|network|no|none|null)$/i;

/**
 * Whether something before the service answered, such as a cache, a service worker or a test's own answer, by an entry
 * of an HTTP Archive: the service may never have seen the request.
 * @param tellsSizes whether its recorder knows how many bytes came in
 */
export function isAnsweredLocally(entry: JsonObject, tellsSizes: boolean): boolean {
  const response = objectOf(entry['response']);
  return (
    [entry, response].some((part) => Object.entries(part).some(isMark)) ||
    // Safari, Playwright.
    /cache|worker|override/i.test(textOf(entry['_fetchType'])) ||
    entry['_wasFulfilled'] === true ||
    // A proxy asks for credentials of its own (RFC 9110, section 15.5.8).
    response['status'] === 407 ||
    // Chrome turns to https by itself.
    hasField(response, /^non-authoritative-reason$/i) ||
    isRevalidated(entry, response) ||
    // HAR 1.2 has it so.
    (tellsSizes && response['bodySize'] === 0 && textOf(objectOf(response['content'])['text']) !== '') ||
    leftNoTrace(entry, response)
  );
}

function isMark([name, value]: readonly [name: string, value: JsonValue]): boolean {
  return MARK.test(name) && !NO_MARK.test(textOf(value));
}

function hasField({ headers }: JsonObject, name: RegExp): boolean {
  return fieldsOf(headers)?.some(([field]) => name.test(field)) === true;
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
    fieldsOf(response['headers']) === undefined &&
    (httpVersion === '' || (timings !== undefined && timings !== null && isInstant));
  const isNowhere = address === '' && isInstant && !(Number(bodySize) > 0) && !(Number(transferred) > 0);
  return !isTimed && (isBare || isNowhere);
}
