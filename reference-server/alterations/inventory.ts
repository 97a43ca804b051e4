import type { InventoryItem } from '../../contract/inventory.ts';
import {
  type ExactInteger,
  type JsonObject,
  type JsonValue,
  isJsonObject,
  parseJson,
  stringifyJson,
} from '../../contract/json/index.ts';
import { combine, type Alteration } from './alteration.ts';
import { keyOf } from './requests.ts';
import { createHandlers, type Handlers } from '../service/handlers.ts';
import { createInventoryStore, type InventoryStore } from '../service/inventory-store.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { Representation } from '../service/answer.ts';
import type { ServiceParts } from '../service/service.ts';

/** Replaces ways in which something is written. */
export function changeRepresentation(
  change: (representation: Representation, parts: ServiceParts) => Partial<Representation>,
): Alteration {
  return {
    parts: (parts) => ({
      representation: { ...parts.representation, ...change(parts.representation, parts) },
    }),
  };
}

/** Makes the list show other entries than the inventory holds. */
export function changeEntries(
  change: (items: readonly InventoryItem[]) => readonly InventoryItem[],
): Alteration {
  return changeRepresentation(({ inventory }) => ({ inventory: (items) => inventory(change(items)) }));
}

/** Changes the JSON value of the list. */
export function changeList(change: (list: readonly JsonValue[]) => JsonValue): Alteration {
  return changeRepresentation(({ inventory }) => ({
    inventory: (items) => {
      const list = parseJson(inventory(items));
      return stringifyJson(change(Array.isArray(list) ? list : []));
    },
  }));
}

/** Makes another JSON value of an item. */
type ItemChange = (item: JsonObject) => JsonValue;

/** Changes every item of the list. */
export function changeListedItems(change: ItemChange): Alteration {
  return changeList((list) => list.map((item) => (isJsonObject(item) ? change(item) : item)));
}

/** Changes one item in the middle of the list. */
export function changeOneListedItem(change: ItemChange): Alteration {
  return changeList((list) => {
    const middle = Math.floor(list.length / 2);
    return list.map((item, index) => (index === middle && isJsonObject(item) ? change(item) : item));
  });
}

/** Changes the item in the answer to an update. */
export function changeAnsweredItem(change: (item: JsonObject, parts: ServiceParts) => JsonValue): Alteration {
  return changeRepresentation(({ item }, parts) => ({
    item: (given) => {
      const value = parseJson(item(given));
      return stringifyJson(isJsonObject(value) ? change(value, parts) : value);
    },
  }));
}

/** Changes every item, in the list and in the answer to an update. */
export function changeItems(change: ItemChange): Alteration {
  return combine(changeListedItems(change), changeAnsweredItem(change));
}

export function without(item: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(item).filter(([member]) => member !== name));
}

/**
 * Replaces methods of the inventory.
 * @param start called once for each server; what it holds is the state of that server
 */
export function changeStore(start: (store: InventoryStore) => Partial<InventoryStore>): Alteration {
  return { parts: ({ inventory }) => ({ inventory: { ...inventory, ...start(inventory) } }) };
}

/** The methods that replace all entries; they also forget what a fault remembers. */
export function forgetOnReplace(
  store: InventoryStore,
  forget: () => void,
): Pick<InventoryStore, 'replace' | 'reset'> {
  return {
    replace: (items) => {
      forget();
      store.replace(items);
    },
    reset: () => {
      forget();
      store.reset();
    },
  };
}

/** Asks for the store with each use of its entries, so that it is brought up to date before. */
export function currentEntries(
  current: () => InventoryStore,
): Pick<InventoryStore, 'find' | 'list' | 'version' | 'setQuantity'> {
  return {
    find: (petId) => current().find(petId),
    list: () => current().list(),
    version: () => current().version(),
    setQuantity: (petId, quantity) => current().setQuantity(petId, quantity),
  };
}

/** What an update that is not carried out would answer. */
export function pretendUpdate(
  store: InventoryStore,
  petId: bigint,
  quantity: ExactInteger,
): InventoryItem | undefined {
  const found = store.find(petId);
  return found === undefined ? undefined : { ...found, quantity };
}

/** The entry that stands after that of a pet, the first after the last. */
export function neighbourOf(items: readonly InventoryItem[], petId: bigint): InventoryItem | undefined {
  const at = items.findIndex((item) => item.petId === petId);
  const neighbour = items[(at + 1) % items.length];
  return neighbour?.petId === petId ? undefined : neighbour;
}

/** The largest integer up to which a double holds every integer exactly. */
export const LARGEST_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

export function exactIntegerOf(quantity: bigint): ExactInteger {
  return Number.isSafeInteger(Number(quantity)) ? Number(quantity) : quantity;
}

/** Carries an update out and then does something to the other entries. */
export function changeEntriesAfterUpdate(
  change: (
    items: readonly InventoryItem[],
    petId: bigint,
    quantity: ExactInteger,
    store: InventoryStore,
  ) => readonly InventoryItem[],
): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const updated = store.setQuantity(petId, quantity);
      if (updated !== undefined) {
        store.replace(change(store.list(), petId, quantity, store));
      }
      return updated;
    },
  }));
}

/** A store of its own that begins with the entries of another, and anew whenever those are replaced. */
function createPrivateStore(shared: InventoryStore): InventoryStore {
  const own = createInventoryStore(shared.list());
  let seen = shared.version();
  const current = (): InventoryStore => {
    if (shared.version() !== seen) {
      seen = shared.version();
      own.replace(shared.list());
    }
    return own;
  };
  return { ...own, ...currentEntries(current) };
}

/** Keeps an inventory for each group of keys. */
export function inventoryFor(groupOf: (key: KeyRecord) => string): Alteration {
  return {
    answers: (_answers, parts) => {
      const handlers = new Map<string, Handlers>();
      const handlersFor = (request: ServiceRequest): Handlers => {
        const key = keyOf(parts, request);
        const group = key === undefined ? '' : groupOf(key);
        const found =
          handlers.get(group) ?? createHandlers({ ...parts, inventory: createPrivateStore(parts.inventory) });
        handlers.set(group, found);
        return found;
      };
      return {
        listInventory: (request, segment) => handlersFor(request).listInventory(request, segment),
        updateInventory: (request, segment) => handlersFor(request).updateInventory(request, segment),
      };
    },
  };
}
