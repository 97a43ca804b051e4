import { stringifyJson, type ExactInteger } from '../../../contract/json/index.ts';
import { FIELD_NAMES } from '../../../contract/field-names.ts';
import type { Operation, RequestMessage } from '../../oracle/index.ts';

const JSON_BODY = [['Content-Type', 'application/json']] as const;

export function listInventory(): RequestMessage {
  return get('listInventory', '/inventory');
}

/** An update with a proper body. */
export function updateInventory(petId: bigint, quantity: ExactInteger): RequestMessage {
  return updateWithBody(petId, stringifyJson({ quantity }));
}

/** An update with any body at all. */
export function updateWithBody(petId: bigint | string, body: RequestMessage['body']): RequestMessage {
  return {
    operation: 'updateInventory',
    method: 'PATCH',
    path: `/inventory/${petId}`,
    headers: JSON_BODY,
    body,
  };
}

export function getPet(petId: bigint): RequestMessage {
  return get('getPet', `/pets/${petId}`);
}

export function listOrders(): RequestMessage {
  return get('listOrders', '/store/orders');
}

/** A request that is none of the documented operations. */
export function undocumented(
  method: string,
  path: string,
  body: RequestMessage['body'] = null,
): RequestMessage {
  return { operation: null, method, path, headers: body === null ? [] : JSON_BODY, body };
}

function get(operation: Operation, path: string): RequestMessage {
  return { operation, method: 'GET', path, headers: [], body: null };
}

/** The same request with further fields. */
export function withFields(message: RequestMessage, fields: RequestMessage['headers']): RequestMessage {
  return { ...message, headers: [...message.headers, ...fields] };
}

/** The letters that every field name of a request is tried in. */
export const FIELD_NAME_SPELLINGS = [
  'small letters',
  'capitals',
] as const satisfies readonly (keyof typeof FIELD_NAMES)[];

/** The same request with the names of its fields in other letters, and Authorization with them. */
export function withFieldNames(message: RequestMessage, spelling: keyof typeof FIELD_NAMES): RequestMessage {
  const spell = FIELD_NAMES[spelling];
  return { ...message, headers: message.headers.map(([name, value]) => [spell(name), value]) };
}
