import { isUtf8 } from 'node:buffer';
import { asInteger, isJsonObject, parseJson, type JsonValue } from '../../../contract/json/index.ts';
import type { RequestMessage } from '../exchange.ts';
import { readMembers } from './json-members.ts';

/** What the body of an update asks for (specification, section "InventoryUpdate"). */
export type UpdateBody =
  /** Has to be answered 400, as the requirement says. */
  | {
      readonly kind: 'bad';
      readonly requirement: 'update-missing-quantity' | 'update-invalid-quantity' | 'update-malformed-body';
      /** Set if there is no body at all, nor a Content-Length. */
      readonly isNone?: true;
    }
  /** A quantity that nobody has a reason to refuse. */
  | { readonly kind: 'plain'; readonly quantity: bigint }
  /** Bounds are not shown: it may be refused, or is set as it stands. */
  | { readonly kind: 'beyond'; readonly quantity: bigint }
  /**
   * A quantity beside members that the specification does not name: they may be ignored, refused, or mean something, so that
   * it is set as it stands only if their names differ from its own by nothing but the letter-case.
   */
  | { readonly kind: 'further'; readonly quantity: bigint | null }
  /** The specification leaves open what it means, and whether it is accepted. */
  | { readonly kind: 'open' };

// Within any bound that a stock may have: bounds are not shown.
const GREATEST_PLAIN = 99n;
const LONGEST_PLAIN_BYTES = 4_096;

const OPEN: UpdateBody = { kind: 'open' };
const MALFORMED: UpdateBody = { kind: 'bad', requirement: 'update-malformed-body' };
const NONE: UpdateBody = { kind: 'bad', requirement: 'update-malformed-body', isNone: true };
const MISSING: UpdateBody = { kind: 'bad', requirement: 'update-missing-quantity' };
const INVALID: UpdateBody = { kind: 'bad', requirement: 'update-invalid-quantity' };

// A run sends the same few bodies again and again.
const KEPT_TEXTS = 256;
const readTexts = new Map<string, UpdateBody>();

export function readUpdateBody({
  body,
  isBodyOmitted,
}: Pick<RequestMessage, 'body' | 'isBodyOmitted'>): UpdateBody {
  if (isBodyOmitted === true) {
    return OPEN;
  }
  if (body === null) {
    return NONE;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  // Limits of payload size are not shown; RFC 8259, section 8.1, leaves other encodings open.
  if (bytes.byteLength > LONGEST_PLAIN_BYTES || !isUtf8(bytes) || mayBeWide(bytes)) {
    return OPEN;
  }
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  const known = readTexts.get(text);
  if (known !== undefined) {
    return known;
  }
  const reading = readText(text);
  if (readTexts.size >= KEPT_TEXTS) {
    readTexts.clear();
  }
  readTexts.set(text, reading);
  return reading;
}

/** Whether every other byte is 0, as in UTF-16 or UTF-32. */
function mayBeWide(bytes: Uint8Array): boolean {
  const isZero = (parity: number): boolean =>
    bytes.length > 1 && bytes.every((byte, index) => index % 2 !== parity || byte === 0);
  return isZero(0) || isZero(1);
}

function readText(text: string): UpdateBody {
  if (text.startsWith('\uFEFF')) {
    return OPEN;
  }
  const value = parse(text);
  if (value === 'not JSON') {
    return MALFORMED;
  }
  if (value === 'too much') {
    return OPEN;
  }
  return isJsonObject(value.json) ? readObject(text, value.json['quantity']) : MALFORMED;
}

function parse(text: string): { readonly json: JsonValue } | 'not JSON' | 'too much' {
  try {
    JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? 'not JSON' : 'too much';
  }
  try {
    return { json: parseJson(text) };
  } catch {
    return 'too much';
  }
}

function readObject(text: string, quantity: JsonValue | undefined): UpdateBody {
  const members = readMembers(text);
  const named = members.filter(({ name }) => name === 'quantity');
  const [only] = named;
  if (only === undefined) {
    return MISSING;
  }
  if (named.length > 1) {
    return OPEN;
  }
  const integer = asInteger(quantity);
  if (integer === undefined) {
    return mayBeInteger(only.text) ? OPEN : INVALID;
  }
  if (!/^(?:0|-?[1-9]\d*)$/.test(only.text)) {
    return OPEN;
  }
  if (members.length > 1) {
    const areTwins = members.every(({ name }) => name.toLowerCase() === 'quantity');
    return { kind: 'further', quantity: areTwins ? integer : null };
  }
  return integer >= 0n && integer <= GREATEST_PLAIN
    ? { kind: 'plain', quantity: integer }
    : { kind: 'beyond', quantity: integer };
}

/** Whether a double takes the text for an integer, or for a number beyond all others. */
function mayBeInteger(text: string): boolean {
  const value = /^[-\d]/.test(text) ? Number(text) : Number.NaN;
  return Number.isInteger(value) || Math.abs(value) === Number.POSITIVE_INFINITY;
}
