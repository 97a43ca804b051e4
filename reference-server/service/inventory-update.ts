import {
  asInteger,
  isInt64,
  isJsonObject,
  parseJson,
  type ExactInteger,
  type JsonValue,
} from '../../contract/json/index.ts';

/** Quantities run from 0 to this; the specification shows no bounds. */
const MAXIMUM_QUANTITY = Number.MAX_SAFE_INTEGER;

export type UpdateReading =
  | { readonly quantity: ExactInteger }
  | { readonly problem: { readonly code: string; readonly message: string } };

/** Reads the content of a request to update an entry. */
export type UpdateReader = (bytes: Uint8Array) => UpdateReading;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads an InventoryUpdate; section "Resources and their fields". 1.0 and 1e2 are integers, further members
 * are ignored, of duplicate members the last counts.
 */
export const readInventoryUpdate: UpdateReader = (bytes) => {
  const value = decodeJson(bytes);
  if (value === undefined) {
    return { problem: { code: 'malformed_json', message: 'The request body is not JSON in UTF-8.' } };
  }
  if (!isJsonObject(value)) {
    return { problem: { code: 'invalid_body', message: 'The request body is not a JSON object.' } };
  }
  const given = value['quantity'];
  const quantity = asInteger(given);
  if (given === undefined) {
    return invalidQuantity('is missing');
  }
  if (quantity === undefined) {
    return invalidQuantity('is not an integer');
  }
  return quantity < 0n || quantity > BigInt(MAXIMUM_QUANTITY)
    ? invalidQuantity(`is not between 0 and ${MAXIMUM_QUANTITY}`)
    : { quantity: Number(quantity) };
};

/** A JSON value, or `undefined` if the bytes are not JSON in UTF-8. */
export function decodeJson(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseJson(UTF_8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** Reads a petId from a path segment: an int64 in plain decimal digits, or `undefined`. */
export function readPetId(segment: string): bigint | undefined {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(segment)) {
    return undefined;
  }
  const petId = BigInt(segment);
  return isInt64(petId) ? petId : undefined;
}

function invalidQuantity(what: string): UpdateReading {
  return { problem: { code: 'invalid_quantity', message: `quantity ${what}.` } };
}
