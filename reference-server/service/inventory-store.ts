import type { InventoryItem } from '../../contract/inventory.ts';
import type { ExactInteger } from '../../contract/json/index.ts';

export interface InventoryStore {
  readonly find: (petId: bigint) => InventoryItem | undefined;
  /** All entries in the order in which they were put in. */
  readonly list: () => readonly InventoryItem[];
  /** Changes with every write; what `list` said holds for as long as it stays the same. */
  readonly version: () => number;
  /** @returns the updated entry, or `undefined` if there is none */
  readonly setQuantity: (petId: bigint, quantity: ExactInteger) => InventoryItem | undefined;
  readonly replace: (items: readonly InventoryItem[]) => void;
  /** The entries at start. */
  readonly reset: () => void;
}

/** @param seed the entries at start, each petId once */
export function createInventoryStore(seed: readonly InventoryItem[]): InventoryStore {
  let items = new Map<bigint, InventoryItem>();
  let version = 0;

  function replace(replacement: readonly InventoryItem[]): void {
    items = new Map(replacement.map((item) => [item.petId, item]));
    version += 1;
  }

  replace(seed);
  return {
    find: (petId) => items.get(petId),
    list: () => [...items.values()],
    version: () => version,
    setQuantity: (petId, quantity) => {
      const found = items.get(petId);
      if (found === undefined) {
        return undefined;
      }
      const updated = { ...found, quantity };
      items.set(petId, updated);
      version += 1;
      return updated;
    },
    replace,
    reset: () => replace(seed),
  };
}
