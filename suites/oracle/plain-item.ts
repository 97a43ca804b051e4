import { PET_STATUSES, type InventoryItem, type PetStatus } from '../../contract/inventory.ts';
import { isInt64 } from '../../contract/json/index.ts';

const MEMBERS = ['petId', 'quantity', 'status'] as const;
const NAMES = MEMBERS.map(quoted);
const STATUSES = PET_STATUSES.map(quoted);

const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

// Any integer of so many digits is exact in a double.
const SAFE_DIGITS = 15;
const INT64_DIGITS = 19;
const LOW_DIGITS = 9;

function quoted(text: string): Uint8Array {
  return Buffer.from(`"${text}"`);
}

/**
 * Reads an InventoryItem from the bytes of JSON text, without an object for what stands there.
 * @param begin where the entry begins
 * @returns `undefined` for an entry that is not just the three members, each once and plainly written
 */
export function readPlainItem(
  bytes: Uint8Array,
  begin: number,
): { readonly item: InventoryItem; readonly end: number } | undefined {
  let petId: bigint | undefined;
  let quantity: number | undefined;
  let status: PetStatus | undefined;
  let at = begin;
  if (bytes[at] !== OPEN_BRACE) {
    return undefined;
  }
  for (let read = 0; read < MEMBERS.length; read += 1) {
    if (read > 0 && bytes[at] !== COMMA) {
      return undefined;
    }
    at = skipSpace(bytes, at + 1);
    const member = whichAt(NAMES, bytes, at);
    at = skipSpace(bytes, at + (NAMES[member]?.length ?? 0));
    if (member === -1 || bytes[at] !== COLON) {
      return undefined;
    }
    at = skipSpace(bytes, at + 1);
    if (MEMBERS[member] === 'status') {
      const which = whichAt(STATUSES, bytes, at);
      status = PET_STATUSES[which];
      at += STATUSES[which]?.length ?? 0;
    } else {
      const end = endOfInteger(bytes, at);
      if (MEMBERS[member] === 'petId') {
        petId = int64Of(bytes, at, end);
      } else {
        quantity = safeInteger(bytes, at, end);
      }
      at = end;
    }
    at = skipSpace(bytes, at);
  }
  // Of three members that are known, none stands there twice if all are.
  return petId === undefined || quantity === undefined || status === undefined || bytes[at] !== CLOSE_BRACE
    ? undefined
    : { item: { petId, quantity, status }, end: at + 1 };
}

/** Index of the first byte from an index on that is no white space of JSON. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const code = bytes[at];
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
      return at;
    }
    at += 1;
  }
}

/** Which of some texts stands at an index; -1 if none does. */
function whichAt(texts: readonly Uint8Array[], bytes: Uint8Array, at: number): number {
  return texts.findIndex((text) => isAt(text, bytes, at));
}

function isAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] !== bytes[at + index]) {
      return false;
    }
  }
  return true;
}

/** Index behind the digits of an integer; `begin` if there is none. */
function endOfInteger(bytes: Uint8Array, begin: number): number {
  const first = bytes[begin] === MINUS ? begin + 1 : begin;
  let end = first;
  while (isDigit(bytes[end])) {
    end += 1;
  }
  const hasLeadingZero = bytes[first] === ZERO && end - first > 1;
  return end === first || hasLeadingZero ? begin : end;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= 0x39;
}

function safeInteger(bytes: Uint8Array, begin: number, end: number): number | undefined {
  const isNegative = bytes[begin] === MINUS;
  const digits = end - begin - (isNegative ? 1 : 0);
  if (digits === 0 || digits > SAFE_DIGITS) {
    return undefined;
  }
  const value = valueOf(bytes, end - digits, end);
  return isNegative && value !== 0 ? -value : value;
}

function int64Of(bytes: Uint8Array, begin: number, end: number): bigint | undefined {
  const safe = safeInteger(bytes, begin, end);
  if (safe !== undefined) {
    return BigInt(safe);
  }
  const isNegative = bytes[begin] === MINUS;
  const first = begin + (isNegative ? 1 : 0);
  if (end <= first || end - first > INT64_DIGITS) {
    return undefined;
  }
  const high = BigInt(valueOf(bytes, first, end - LOW_DIGITS)) * BigInt(10 ** LOW_DIGITS);
  const value = high + BigInt(valueOf(bytes, end - LOW_DIGITS, end));
  const petId = isNegative ? -value : value;
  return isInt64(petId) ? petId : undefined;
}

function valueOf(bytes: Uint8Array, begin: number, end: number): number {
  let value = 0;
  for (let at = begin; at < end; at += 1) {
    value = value * 10 + (bytes[at] ?? 0) - ZERO;
  }
  return value;
}
