import type { InventoryItem } from '../../contract/inventory.ts';
import { seedInventory } from '../../fixtures/corpora/index.ts';
import { changeItems, changeStore } from '../alterations/inventory.ts';
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

export const LIST_VARIANTS: readonly Variant[] = [
  {
    id: 'items-with-look-alike-members',
    title: 'Items have further members whose names differ only in letter-case',
    freedom: 'further members of items',
    alter: changeItems((item) => ({
      PetId: 0,
      petid: 'x',
      ...item,
      Quantity: -1,
      STATUS: 'gone',
      pet_id: '7',
    })),
  },
  startingWith('empty-store', 'The inventory is empty at start', () => []),
  startingWith('single-pet', 'The inventory holds a single pet at start', () => seedInventory({ size: 1 })),
  startingWith('three-thousand-pets', 'The inventory holds 3,000 pets at start', () =>
    seedInventory({ size: 3_000 }),
  ),
  startingWith(
    'pet-ids-of-zero-and-below',
    'The inventory holds pets with petIds of zero and below at start',
    () => [
      { petId: -(2n ** 63n), quantity: 2, status: 'pending' },
      { petId: -5n, quantity: 3, status: 'sold' },
      { petId: 0n, quantity: 4, status: 'available' },
      ...seedInventory(),
    ],
  ),
  startingWith('stock-below-zero', 'Every pet is sold at start, with a quantity below zero', () =>
    seedInventory().map(({ petId }) => ({ petId, quantity: -2, status: 'sold' })),
  ),
  {
    id: 'list-in-random-order',
    title: 'Each list is in another order',
    freedom: 'order of the list',
    // Another version each time, so that no list is taken from memory.
    alter: changeStore((store) => {
      let version = 0;
      return { list: () => shuffled(store.list()), version: () => (version += 1) };
    }),
  },
];
