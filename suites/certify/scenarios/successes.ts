import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX, INT64_MIN } from '../../../contract/json/index.ts';
import { seedInventory, storeForChecks } from '../../../fixtures/corpora/index.ts';
import { scenarioGroup, type ClientScenario } from './scenario.ts';

const shows = ['client-reports-result'] as const;
// Some languages take 0 for nothing.
const PET_ZERO: InventoryItem = { petId: 0n, quantity: 3, status: 'sold' };

const { list } = scenarioGroup({ inventory: [...storeForChecks(), PET_ZERO], shows });

/** Lists that are answered at once. */
export const LISTS: readonly ClientScenario[] = [
  list('list', 'List an inventory with ids that a double cannot hold exactly'),
  list(
    'list-one',
    'List an inventory of one entry, whose quantity is negative, as its id is, the smallest int64',
    {
      inventory: [{ petId: INT64_MIN, quantity: -3, status: 'pending' }],
    },
  ),
  list('list-empty', 'List an empty inventory', { inventory: [] }),
  list('list-long', 'List an inventory of 8,000 entries', { inventory: longInventory() }),
];

const PET_BELOW_ZERO: InventoryItem = { petId: -(2n ** 53n) - 1n, quantity: 3, status: 'pending' };
/** Holds 0, 1, 2^53, 2^53 + 1 and the largest int64, beside their neighbours, and one below 0. */
const inventory = [...seedInventory({ size: 24, seed: 2 }), PET_ZERO, PET_BELOW_ZERO];

/** Updates that are answered at once. A quantity beyond 32 bits is left out, since its bounds are not shown. */
export const UPDATES: readonly ClientScenario[] = [
  updateOf('update', 'Update the pet with id 1', 1n, 17),
  updateOf('update-pet-zero', 'Update the pet with id 0', 0n, 19),
  updateOf('update-beyond-double', 'Update a pet whose id no double holds', 2n ** 53n + 1n, 23),
  updateOf('update-below-zero', 'Update a pet whose id is negative', PET_BELOW_ZERO.petId, 27),
  updateOf('update-largest-id', 'Update the pet with the largest int64 as id', INT64_MAX, 29),
  updateOf('update-to-zero', 'Update a quantity to 0', 1n, 0),
  updateOf('update-large-quantity', 'Update a quantity to 2,147,483,647', 1n, 2 ** 31 - 1),
  mayBeDeclined(
    updateOf('update-negative-quantity', 'Update to a quantity below 0, unless the client declines', 1n, -5),
  ),
];

function updateOf(id: string, title: string, petId: bigint, quantity: number): ClientScenario {
  const task = { operation: 'updateInventory', petId, quantity } as const;
  return scenarioGroup({ inventory, update: task, shows }).update(id, title);
}

/** The bounds of a quantity are not shown, so that a client may send nothing. Its form is its own, so that all others keep theirs. */
function mayBeDeclined({ judges, ...scenario }: ClientScenario): ClientScenario {
  return {
    ...scenario,
    judges: judges.filter((id) => id !== 'client-operation'),
    traits: ['no-reason-phrase'],
  };
}

/** Longer than the pipe of a client's stdout holds. Every other ordinary id is lifted beyond the integers that a double holds. */
function longInventory(): readonly InventoryItem[] {
  return seedInventory({ size: 8_000, seed: 4 }).map(({ petId, quantity, status }, index) => ({
    petId: index % 2 === 1 && petId < 2n ** 31n ? petId + 2n ** 60n : petId,
    quantity,
    status,
  }));
}
