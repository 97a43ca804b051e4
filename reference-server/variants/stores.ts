import type { InventoryItem, PetStatus } from '../../contract/inventory.ts';
import { seedInventory } from '../../fixtures/corpora/index.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import type { Variant } from './variant.ts';

function startingWith(id: string, title: string, items: () => readonly InventoryItem[]): Variant {
  return {
    id,
    title,
    freedom: 'store at start',
    alter: { options: (options) => ({ ...options, inventory: items() }) },
  };
}

function shuffled(items: readonly InventoryItem[]): readonly InventoryItem[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

/** Another version each time, so that no list is taken from memory. */
function neverTheSame(inventory: InventoryStore): InventoryStore {
  let version = 0;
  return {
    ...inventory,
    list: () => shuffled(inventory.list()),
    version: () => {
      version += 1;
      return version;
    },
  };
}

type StatusRule = (item: InventoryItem) => PetStatus;

/** Keeps what an update made of a status beside the store, until the store is filled anew. */
function recomputing(rule: StatusRule): (inventory: InventoryStore) => InventoryStore {
  return (inventory) => {
    const statuses = new Map<bigint, PetStatus>();
    const current = (item: InventoryItem): InventoryItem => {
      const status = statuses.get(item.petId);
      return status === undefined ? item : { ...item, status };
    };
    return {
      ...inventory,
      find: (petId) => {
        const item = inventory.find(petId);
        return item === undefined ? undefined : current(item);
      },
      list: () => inventory.list().map(current),
      setQuantity: (petId, quantity) => {
        const item = inventory.setQuantity(petId, quantity);
        if (item === undefined) {
          return undefined;
        }
        statuses.set(petId, rule(current(item)));
        return current(item);
      },
      replace: (items) => {
        statuses.clear();
        inventory.replace(items);
      },
      reset: () => {
        statuses.clear();
        inventory.reset();
      },
    };
  };
}

function statusRule(id: string, title: string, rule: StatusRule): Variant {
  const recompute = recomputing(rule);
  return {
    id,
    title,
    freedom: 'status after update',
    alter: { parts: ({ inventory }) => ({ inventory: recompute(inventory) }) },
  };
}

const FEW = 3;

export const STORE_VARIANTS: readonly Variant[] = [
  startingWith('empty-store', 'The store is empty at start', () => []),
  startingWith('single-pet', 'The store holds a single pet at start', () => seedInventory({ size: 1 })),
  startingWith('three-thousand-pets', 'The store holds 3,000 pets at start', () =>
    seedInventory({ size: 3_000 }),
  ),
  startingWith(
    'pet-ids-of-zero-and-below',
    'The store holds pets with petIds of zero and below at start',
    () => [
      { petId: -(2n ** 63n), quantity: 2, status: 'pending' },
      { petId: -5n, quantity: 3, status: 'sold' },
      { petId: 0n, quantity: 4, status: 'available' },
      ...seedInventory(),
    ],
  ),
  startingWith('stock-below-zero', 'Every pet is sold at start, and more than there were', () =>
    seedInventory().map(({ petId }) => ({ petId, quantity: -2, status: 'sold' })),
  ),

  {
    id: 'list-in-random-order',
    title: 'Each list is in another order',
    freedom: 'order of the list',
    alter: { parts: ({ inventory }) => ({ inventory: neverTheSame(inventory) }) },
  },

  statusRule(
    'status-by-quantity',
    'An update makes a pet sold at 0, pending below 3, else available',
    ({ quantity }) => (quantity <= 0 ? 'sold' : quantity < FEW ? 'pending' : 'available'),
  ),
];
