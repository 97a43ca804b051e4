import { stringifyJson, type ExactInteger } from '../../../contract/json/index.ts';
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
export function updateWithBody(petId: bigint | string, body: string | Uint8Array): RequestMessage {
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
