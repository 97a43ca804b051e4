import { asInteger, isJsonObject } from '../../contract/lossless-json.ts';
import { decodeJson, type UpdateReader, type UpdateReading } from '../service/inventory-update.ts';
import type { Freedom, Variant } from './variant.ts';

/** Reads a body in another way, or leaves it to the reader it is given. */
function reading(
  id: string,
  title: string,
  freedom: Freedom,
  start: (read: UpdateReader) => UpdateReader,
): Variant {
  return { id, title, freedom, alter: { parts: ({ readUpdate }) => ({ readUpdate: start(readUpdate) }) } };
}

function refused(code: string, message: string): UpdateReading {
  return { problem: { code, message } };
}

function quantityIn(bytes: Uint8Array): bigint | undefined {
  const value = decodeJson(bytes);
  return isJsonObject(value) ? asInteger(value['quantity']) : undefined;
}

function accepting(isAccepted: (quantity: bigint) => boolean): (read: UpdateReader) => UpdateReader {
  return (read) => (bytes) => {
    const update = read(bytes);
    const quantity = 'problem' in update ? quantityIn(bytes) : undefined;
    if (quantity === undefined || !isAccepted(quantity)) {
      return update;
    }
    const narrow = Number(quantity);
    return { quantity: Number.isSafeInteger(narrow) ? narrow : quantity };
  };
}

/** Refuses a body whose text matches, if it would be accepted otherwise. */
function refusing(pattern: RegExp, message: string): (read: UpdateReader) => UpdateReader {
  return (read) => (bytes) => {
    const update = read(bytes);
    return 'quantity' in update && pattern.test(Buffer.from(bytes).toString())
      ? refused('invalid_body', message)
      : update;
  };
}

const GREATEST = 999;
const TWICE = /"quantity"\s*:[\s\S]*"quantity"\s*:/;

export const QUANTITY_VARIANTS: readonly Variant[] = [
  reading(
    'negative-quantities',
    'Negative quantities are accepted, to the last digit',
    'negative quantities',
    accepting((quantity) => quantity < 0n),
  ),
  reading(
    'quantities-of-any-size',
    'Quantities of any size are accepted, to the last digit',
    'large quantities',
    accepting((quantity) => quantity >= 0n),
  ),
  reading(
    'quantities-up-to-999',
    'Quantities over 999 are refused',
    'large quantities',
    (read) => (bytes) => {
      const update = read(bytes);
      return 'quantity' in update && update.quantity > GREATEST
        ? refused('quantity_too_large', `quantity is greater than ${GREATEST}.`)
        : update;
    },
  ),
  reading(
    'quantities-in-digits-only',
    '1.0 and 1e2 are refused as a quantity',
    'integral number forms',
    refusing(/"quantity"\s*:\s*-?\d+[.eE]/, 'quantity is not written in digits only.'),
  ),
  reading(
    'further-request-members-refused',
    'Further members in the request are refused',
    'further request members',
    (read) => (bytes) => {
      const update = read(bytes);
      const value = decodeJson(bytes);
      return 'quantity' in update && isJsonObject(value) && Object.keys(value).length > 1
        ? refused('unknown_member', 'The request body has members beside quantity.')
        : update;
    },
  ),
  reading(
    'duplicate-request-members-refused',
    'Duplicate members in the request are refused',
    'duplicate request members',
    refusing(TWICE, 'quantity stands twice.'),
  ),
];
