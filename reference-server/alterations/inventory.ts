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
import type { InventoryStore } from '../service/inventory-store.ts';

/** Makes the list show other entries than the inventory holds. */
export function changeEntries(
  change: (items: readonly InventoryItem[]) => readonly InventoryItem[],
): Alteration {
  return {
    parts: ({ representation }) => ({
      representation: { ...representation, inventory: (items) => representation.inventory(change(items)) },
    }),
  };
}

/** Changes the JSON value of the list. */
export function changeList(change: (list: readonly JsonValue[]) => JsonValue): Alteration {
  return {
    parts: ({ representation }) => ({
      representation: {
        ...representation,
        inventory: (items) => {
          const list = parseJson(representation.inventory(items));
          return stringifyJson(change(Array.isArray(list) ? list : []));
        },
      },
    }),
  };
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
export function changeAnsweredItem(change: ItemChange): Alteration {
  return {
    parts: ({ representation }) => ({
      representation: {
        ...representation,
        item: (item) => {
          const value = parseJson(representation.item(item));
          return stringifyJson(isJsonObject(value) ? change(value) : value);
        },
      },
    }),
  };
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
  ) => readonly InventoryItem[],
): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const updated = store.setQuantity(petId, quantity);
      if (updated !== undefined) {
        store.replace(change(store.list(), petId, quantity));
      }
      return updated;
    },
  }));
}
