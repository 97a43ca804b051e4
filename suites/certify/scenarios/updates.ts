import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { AN_UPDATE } from './judged-by.ts';
import type { ClientScenario } from './scenario.ts';

/** Holds 0, 1, 2^53, 2^53 + 1 and the largest int64, beside their neighbours. */
const inventory: readonly InventoryItem[] = [
  ...seedInventory({ size: 24, seed: 2 }),
  { petId: 0n, quantity: 3, status: 'sold' },
];

/** Updates that are answered at once. A quantity beyond 32 bits is left out, since its bounds are not shown. */
export const UPDATES: readonly ClientScenario[] = [
  update('update', 'Update the pet with id 1', 1n, 17),
  update('update-pet-zero', 'Update the pet with id 0', 0n, 19),
  update('update-beyond-double', 'Update a pet whose id no double holds', 2n ** 53n + 1n, 23),
  update('update-largest-id', 'Update the pet with the largest int64 as id', INT64_MAX, 29),
  update('update-to-zero', 'Update a quantity to 0', 1n, 0),
  update('update-large-quantity', 'Update a quantity to 2,147,483,647', 1n, 2 ** 31 - 1),
];

function update(id: string, title: string, petId: bigint, quantity: number): ClientScenario {
  return {
    id,
    title,
    task: { operation: 'updateInventory', petId, quantity },
    inventory,
    judges: [...AN_UPDATE, 'client-reports-result'],
    seconds: 1,
  };
}
