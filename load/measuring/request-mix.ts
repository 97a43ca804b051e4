import type { Key, RequestMessage } from '../../suites/oracle/index.ts';
import { listInventory, updateInventory } from '../../suites/target/index.ts';
import type { LoadRequest } from '../engine/load-request.ts';
import type { LoadSession } from '../session.ts';

/** A request with a key, built once and sent many times. */
export function keyed(message: RequestMessage, key: Key): LoadRequest {
  return {
    message,
    key,
    authorization: [`Bearer ${key.secret}`],
    operation: nameOf(message),
  };
}

/** A request without a key that the target knows. */
export function unknownKey(message: RequestMessage, authorization: readonly string[]): LoadRequest {
  return { message, key: null, authorization, operation: `${nameOf(message)} without a valid key` };
}

/** `GET /inventory`, `PATCH /inventory/{petId}` and so on. */
function nameOf({ method, path, operation }: RequestMessage): string {
  switch (operation) {
    case 'updateInventory':
      return 'PATCH /inventory/{petId}';
    case 'getPet':
      return 'GET /pets/{petId}';
    default:
      return `${method} ${path}`;
  }
}

const CYCLE = 100;

/**
 * Requests in turn over keys and operations: reads of the list, and that share of updates which leave each pet as
 * it is, so that nothing has to be put back.
 */
export function mixOf(session: LoadSession, keys: readonly Key[], writes: number): readonly LoadRequest[] {
  const { pets } = session.inventory;
  // Reads differ only in their key, and autocannon makes each request once for each connection.
  const length = writes === 0 ? keys.length : keys.length * Math.max(1, Math.ceil(CYCLE / keys.length));
  return Array.from({ length }, (_, index): LoadRequest[] => {
    const key = keys[index % keys.length];
    if (key === undefined) {
      return [];
    }
    const isWrite = Math.floor((index + 1) * writes) > Math.floor(index * writes);
    const pet = pets[index % Math.max(1, pets.length)];
    return [
      keyed(
        isWrite && pet !== undefined ? updateInventory(pet.petId, pet.item.quantity) : listInventory(),
        key,
      ),
    ];
  }).flat();
}
