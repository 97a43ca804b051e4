import type { InventoryItem, PetStatus } from '../../../contract/inventory.ts';

// Fewer distinct quantities may have their statuses by chance.
const ENOUGH_QUANTITIES = 5;

/** Follows whether a target computes the status of a pet from its quantity, whatever it is given: how a status changes is not shown. */
export function followStatusesByQuantity() {
  const statuses = new Map<number, PetStatus>();
  let isContradicted = false;
  return {
    note: (items: Iterable<InventoryItem>): void => {
      for (const { quantity, status } of isContradicted ? [] : items) {
        const known = statuses.get(Number(quantity));
        if (known !== undefined && known !== status) {
          isContradicted = true;
          statuses.clear();
          return;
        }
        statuses.set(Number(quantity), status);
      }
    },
    /** Whether each quantity had one status in all lists, and not all had the same. */
    areDerived: (): boolean => statuses.size >= ENOUGH_QUANTITIES && new Set(statuses.values()).size > 1,
  };
}
