import { findJsonExcess, mayExceed } from './json-limits.ts';

declare global {
  interface JSON {
    /** ECMAScript 2026: a value that `JSON.stringify` writes as the given literal. */
    rawJSON(text: string): object;
  }
}

/** A JSON value in which an integer outside the safe range of a double is a `bigint`. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

export type JsonObject = { readonly [member: string]: JsonValue };

/** An integer of any size: `number` if a double holds it exactly, else `bigint`. */
export type ExactInteger = number | bigint;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

// Fewer than 16 digits without an exponent are always exact in a double.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE][+\d]/;

/**
 * Parses JSON text and keeps every integer exact. Takes linear time.
 * @throws {SyntaxError} if the text is not JSON (RFC 8259), or exceeds what is read here (`findJsonExcess`)
 */
export function parseJson(text: string): JsonValue {
  if (mayExceed(text)) {
    const excess = findJsonExcess(text.length, (index) => text.charCodeAt(index));
    if (excess !== undefined) {
      throw new SyntaxError(`The JSON text holds ${excess}`);
    }
  }
  return MAY_LOSE_DIGITS.test(text) ? JSON.parse(text, keepInteger) : JSON.parse(text);
}

/** The value of a JSON text, or `undefined` if it is not JSON. */
export function parseIfJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function keepInteger(_member: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined && !Number.isSafeInteger(value)
    ? (exactInteger(context.source) ?? value)
    : value;
}

/** Writes a JSON value; a `bigint` becomes an integer literal with all its digits. */
export function stringifyJson(value: JsonValue, indent?: number): string {
  return JSON.stringify(
    value,
    (_member: string, member: unknown) =>
      typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member,
    indent,
  );
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an exact integer, or `undefined` if it is not an integer (JSON Schema: 1.0 is one). */
export function asInteger(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') {
    return value;
  }
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** The integer that a JSON number literal denotes, or `undefined` if it has a fraction or is absurdly long. */
function exactInteger(literal: string): bigint | undefined {
  const parts = /^(-?)(\d+)(?:[.](\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (parts === null) {
    return undefined;
  }
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const shift = Number(exponent) - fraction.length;
  const digits = whole + fraction;
  if (shift > 400 || shift < -digits.length - 400) {
    return undefined;
  }
  const kept = shift >= 0 ? digits + '0'.repeat(shift) : digits.slice(0, shift);
  const dropped = shift >= 0 ? '' : digits.slice(shift);
  return /^0*$/.test(dropped) ? BigInt(`${sign}${kept === '' ? '0' : kept}`) : undefined;
}
