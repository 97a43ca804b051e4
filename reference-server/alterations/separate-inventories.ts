import { createHandlers, type Handlers } from '../service/handlers.ts';
import { createInventoryStore, type InventoryStore } from '../service/inventory-store.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { Alteration } from './alteration.ts';
import { keyOf } from './requests.ts';

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
  return {
    ...own,
    find: (petId) => current().find(petId),
    list: () => current().list(),
    version: () => current().version(),
    setQuantity: (petId, quantity) => current().setQuantity(petId, quantity),
  };
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
