import { randomUUID } from 'node:crypto';

import type { InventoryItem } from '../../contract/inventory.ts';
import { createInventoryStore, type InventoryStore } from '../service/inventory-store.ts';
import { writeEntries, type Replica } from './replica.ts';
import type { Effect } from './shared-state.ts';

let changedViews = 0;

/**
 * The inventory as one request sees it: what the replica holds, and what the request itself has written.
 * @param require is told what Redis has to do
 */
export function createInventoryView(replica: Replica, require: (effect: Effect) => void): InventoryStore {
  let base: Pick<InventoryStore, 'find' | 'list' | 'version'> = replica.inventory;
  const changed = new Map<bigint, InventoryItem>();
  let ownVersion: number | undefined;

  function find(petId: bigint): InventoryItem | undefined {
    return changed.get(petId) ?? base.find(petId);
  }

  /** No answer that is remembered for another view may serve for this one. */
  function change(): void {
    changedViews += 1;
    ownVersion = -changedViews;
  }

  return {
    find,
    list: () =>
      changed.size === 0 ? base.list() : base.list().map((item) => changed.get(item.petId) ?? item),
    version: () => ownVersion ?? base.version(),
    setQuantity: (petId, quantity) => {
      const found = find(petId);
      if (found === undefined) {
        return undefined;
      }
      const updated = { ...found, quantity };
      changed.set(petId, updated);
      change();
      require(['quantity', `${replica.position().generation}`, `${petId}`, `${quantity}`]);
      return updated;
    },
    replace: (items) => {
      const texts = writeEntries(items);
      base = createInventoryStore(items);
      changed.clear();
      change();
      require(['entries', randomUUID(), `${texts.length}`, ...texts]);
    },
    reset: () => require(['entries', 'seed', '0']),
  };
}
