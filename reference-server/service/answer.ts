import type { ErrorBody, InventoryItem } from '../../contract/inventory.ts';
import type { ServiceResponse } from './messages.ts';
import type { LimitState } from './rate-limiter.ts';

/** What an operation answers, before the header fields that every response carries. */
export interface Answer {
  readonly status: number;
  /** JSON; a string holds ASCII only. */
  readonly body: string | Uint8Array;
  /** Of the body in bytes. */
  readonly contentLength: string;
  /** Further header fields: name, value, name, value … */
  readonly headers: readonly string[];
}

const NO_HEADERS: readonly string[] = [];

// Up to this size one write of head and body together is cheaper than two; beyond it, encoding each time is not.
const LONGEST_TEXT = 32_768;

export function answerWith(status: number, text: string, headers: readonly string[] = NO_HEADERS): Answer {
  const length = Buffer.byteLength(text);
  return {
    status,
    body: length === text.length && length <= LONGEST_TEXT ? text : Buffer.from(text),
    contentLength: String(length),
    headers,
  };
}

/** The Error object; section "Errors". */
export function answerError(
  { error }: Pick<Representation, 'error'>,
  { code, message, status }: ErrorBody,
  headers?: readonly string[],
): Answer {
  return answerWith(status, error({ code, message, status }), headers);
}

/** JSON texts of everything that the service answers with. */
export interface Representation {
  readonly inventory: (items: readonly InventoryItem[]) => string;
  readonly item: (item: InventoryItem) => string;
  readonly pet: (item: InventoryItem) => string;
  readonly orders: (items: readonly InventoryItem[]) => string;
  readonly error: (error: ErrorBody) => string;
}

/** A pet has an id, a name and a status; there is one delivered order for each pet that is sold. */
export const representation: Representation = {
  inventory: (items) => `[${items.map(itemText).join(',')}]`,
  item: itemText,
  pet: ({ petId, status }) => `{"petId":${petId},"name":"Pet ${petId}","status":"${status}"}`,
  orders: (items) => {
    const sold = items.filter(({ status }) => status === 'sold');
    return `[${sold.map(({ petId }, index) => orderText(index + 1, petId)).join(',')}]`;
  },
  error: (error) => JSON.stringify(error),
};

// Written by hand since a bigint has to keep all its digits and no member needs an escape.
function itemText({ petId, quantity, status }: InventoryItem): string {
  return `{"petId":${petId},"quantity":${quantity},"status":"${status}"}`;
}

function orderText(orderId: number, petId: bigint): string {
  return `{"orderId":${orderId},"petId":${petId},"quantity":1,"status":"delivered"}`;
}

/** Joins an answer with the header fields that every response carries; `now` in Unix seconds. */
export type Renderer = (answer: Answer, limit: LimitState, now: number) => ServiceResponse;

export function createRenderer(): Renderer {
  let second = Number.NaN;
  let date = '';

  return ({ status, body, contentLength, headers: further }, limit, now) => {
    const current = Math.floor(now);
    if (current !== second) {
      second = current;
      date = httpDate(current);
    }
    const headers = [
      'Content-Type',
      'application/json',
      'Content-Length',
      contentLength,
      'Date',
      date,
      'X-RateLimit-Limit',
      `${limit.limit}`,
      'X-RateLimit-Remaining',
      `${limit.remaining}`,
      'X-RateLimit-Reset',
      `${limit.resetUnixSeconds}`,
    ];
    for (const field of further) {
      headers.push(field);
    }
    return { status, headers, body };
  };
}

/** IMF-fixdate (RFC 9110, section 5.6.7). */
export function httpDate(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toUTCString();
}
