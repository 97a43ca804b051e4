import type { InventoryItem } from '../../../contract/inventory.ts';
import { seedInventory, storeForChecks } from '../../../fixtures/corpora/index.ts';
import { A_LIST } from './judged-by.ts';
import type { ClientTask, ClientScenario } from './scenario.ts';

const task: ClientTask = { operation: 'listInventory' };
const judges = [...A_LIST, 'client-reports-result'] as const;

/** Lists that are answered at once. */
export const LISTS: readonly ClientScenario[] = [
  {
    id: 'list',
    title: 'List an inventory with ids that a double cannot hold exactly',
    task,
    // Some languages take 0 for nothing.
    inventory: [...storeForChecks(), { petId: 0n, quantity: 3, status: 'sold' }],
    judges,
    seconds: 1,
  },
  {
    id: 'list-one',
    title: 'List an inventory of one entry, whose id is negative',
    task,
    inventory: [{ petId: -(2n ** 53n) - 1n, quantity: 3, status: 'pending' }],
    judges,
    seconds: 1,
  },
  { id: 'list-empty', title: 'List an empty inventory', task, inventory: [], judges, seconds: 1 },
  {
    id: 'list-long',
    title: 'List an inventory of 8,000 entries',
    task,
    inventory: longInventory(),
    judges,
    seconds: 1,
  },
];

/** Longer than the pipe of a client's stdout holds. Every other ordinary id is lifted beyond the integers that a double holds. */
function longInventory(): readonly InventoryItem[] {
  return seedInventory({ size: 8_000, seed: 4 }).map(({ petId, quantity, status }, index) => ({
    petId: index % 2 === 1 && petId < 2n ** 31n ? petId + 2n ** 60n : petId,
    quantity,
    status,
  }));
}
