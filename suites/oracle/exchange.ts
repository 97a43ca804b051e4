import { hash } from 'node:crypto';
import { readInventoryItem, type InventoryItem } from '../../contract/inventory.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import { parseIfJson, type JsonValue } from '../../contract/json/index.ts';
import { readList, type InventoryList } from './inventory-list.ts';
import { headerValues, readRateLimit, type RateLimit } from '../../contract/rate-limit-headers.ts';
import { parseHttpDate, parseRetryAfter, type RetryAfter } from '../../contract/retry-after.ts';

/** The operations that the specification names. */
export type Operation = 'listInventory' | 'updateInventory' | 'getPet' | 'listOrders';

/** A request as a check words it; `path` is relative to the base address and goes out unchanged. */
export interface RequestMessage {
  /** The documented operation that the request is meant for, or `null` if it is none. */
  readonly operation: Operation | null;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly HeaderField[];
  readonly body: string | Uint8Array | null;
  /** Set if a recording left the body out, so that nothing is known of it; `body` is `null` then. */
  readonly isBodyOmitted?: true;
  /** The header section and the body are sent in two parts each, with pauses between them. */
  readonly inParts?: true;
  /** It goes out as one of HTTP/1.0. */
  readonly isHttp10?: true;
}

/** A whole response; the body is decoded from any content coding. */
export interface ResponseMessage {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  /** What the headers say of the limit, if they were read already; `null` if that cannot be read. */
  readonly rateLimit?: RateLimit | null;
  /** Of a long list only its beginning. */
  readonly body: Buffer;
  /** Set if a recording left the body out, so that nothing is known of it; `body` is empty then. */
  readonly isBodyOmitted?: true;
  /** Set if a recording left header fields out: their names in small letters, or `all` that are not in `headers`. */
  readonly omittedHeaders?: 'all' | ReadonlySet<string>;
  /** Stands for the connection on which it came, among those of its history; left out if nobody knows. */
  readonly connection?: string;
  /** Set if the body begins as a long list: its whole length, and what it holds; `null` if it is not JSON. */
  readonly longList?: { readonly bytes: number; readonly list: InventoryList | null };
}

/** Bytes of the whole body. */
export function bodyBytesOf({ body, longList }: ResponseMessage): number {
  return longList?.bytes ?? body.length;
}

const LONG_LIST_BYTES = 1024 * 1024;
const KEPT_BYTES = 65_536;
// A byte order mark may precede it (RFC 8259, section 8.1).
const BEGINS_ARRAY = /^\uFEFF?[ \n\r\t]*\[/;

/** The response without the bytes of a long list, once that is read. */
export function condense(response: ResponseMessage): ResponseMessage {
  const { body } = response;
  return body.length <= LONG_LIST_BYTES || !BEGINS_ARRAY.test(body.toString('utf8', 0, KEPT_BYTES))
    ? response
    : {
        ...response,
        body: Buffer.from(body.subarray(0, KEPT_BYTES)),
        longList: { bytes: body.length, list: longListOf(body) },
      };
}

// A run asks for the same list again and again; what it holds is never changed.
let lastLongList: { readonly digest: string; readonly list: InventoryList | null } | undefined;

function longListOf(body: Buffer): InventoryList | null {
  const digest = hash('sha256', body);
  if (lastLongList?.digest !== digest) {
    const value = parseBody(body);
    lastLongList = { digest, list: Array.isArray(value) ? readList(value) : null };
  }
  return lastLongList.list;
}

/** One exchange as it went over the wire; moments are milliseconds of the timekeeper. */
export interface Exchange {
  readonly request: RequestMessage;
  /** What stands for the Authorization field wherever the exchange is shown, or `null` without one. */
  readonly authorization: string | null;
  /** Label of the key that the target should know, or `null`. */
  readonly key: string | null;
  readonly response: ResponseMessage;
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Times that the same request was sent before without getting a response. */
  readonly lostResponses: number;
  /** Real milliseconds from sending to the last byte, and the wall clock at sending. */
  readonly durationMilliseconds: number;
  readonly startedAt: Date;
}

export function isAccepted({ response: { status } }: Pick<Exchange, 'response'>): boolean {
  return status >= 200 && status < 300;
}

export function header(exchange: Exchange, name: string): string | undefined {
  return headerValues(exchange.response.headers, name)[0];
}

/** Whether a recording left the field out, so that nothing is known of it. */
export function isOmitted({ headers, omittedHeaders }: ResponseMessage, name: string): boolean {
  const mayBeOmitted = omittedHeaders === 'all' || omittedHeaders?.has(name.toLowerCase()) === true;
  return mayBeOmitted && headerValues(headers, name).length === 0;
}

export function rateLimitOf(exchange: Exchange): RateLimit | undefined {
  const { headers, rateLimit } = exchange.response;
  return rateLimit === undefined ? readRateLimit(headers) : (rateLimit ?? undefined);
}

export function retryAfterOf(exchange: Exchange): RetryAfter | undefined {
  const value = header(exchange, 'Retry-After');
  return value === undefined ? undefined : parseRetryAfter(value);
}

/** The Date header in Unix seconds. */
export function dateOf(exchange: Exchange): number | undefined {
  const value = header(exchange, 'Date');
  return value === undefined ? undefined : parseHttpDate(value);
}

/** The media type without parameters, in lower case. */
export function mediaTypeOf(exchange: Exchange): string | undefined {
  return header(exchange, 'Content-Type')?.split(';')[0]?.trim().toLowerCase();
}

const parsedBodies = new WeakMap<ResponseMessage, JsonValue | undefined>();

/** The body as JSON, or `undefined` if it is not JSON in UTF-8, or a long list; parsed once. */
export function jsonOf(exchange: Exchange): JsonValue | undefined {
  const { response } = exchange;
  if (!parsedBodies.has(response)) {
    parsedBodies.set(response, response.longList === undefined ? parseBody(response.body) : undefined);
  }
  return parsedBodies.get(response);
}

/** The item that an answer holds, or `undefined` if it holds none. */
export function itemInAnswer(exchange: Exchange): InventoryItem | undefined {
  const reading = readInventoryItem(jsonOf(exchange));
  return 'item' in reading ? reading.item : undefined;
}

// Bodies with the same text are one value.
const readLists = new WeakMap<readonly JsonValue[], InventoryList>();

/** The list that a response holds, or `undefined` if it is no JSON array; read once. */
export function listOf(exchange: Exchange): InventoryList | undefined {
  const { longList } = exchange.response;
  if (longList !== undefined) {
    return longList.list ?? undefined;
  }
  const body = jsonOf(exchange);
  if (!Array.isArray(body)) {
    return undefined;
  }
  const known = readLists.get(body);
  if (known !== undefined) {
    return known;
  }
  const list = readList(body);
  readLists.set(body, list);
  return list;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

// Most responses of a run have the same few bodies; what they hold is never changed.
const KEPT_TEXTS = 64;
const LONGEST_KEPT_TEXT = 65_536;
const parsedTexts = new Map<string, JsonValue | undefined>();

function parseBody(body: Buffer): JsonValue | undefined {
  let text: string;
  try {
    text = UTF_8.decode(body);
  } catch {
    return undefined;
  }
  if (text.length > LONGEST_KEPT_TEXT) {
    return parseIfJson(text);
  }
  if (parsedTexts.has(text)) {
    return parsedTexts.get(text);
  }
  const value = parseIfJson(text);
  if (parsedTexts.size >= KEPT_TEXTS) {
    parsedTexts.clear();
  }
  parsedTexts.set(text, value);
  return value;
}
