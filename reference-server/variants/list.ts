import type { InventoryItem } from '../../contract/inventory.ts';
import { seedInventory } from '../../fixtures/corpora/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeItems, changeStore } from '../alterations/inventory.ts';
import { permitting } from './variant.ts';

function startingWith(items: () => readonly InventoryItem[]): Alteration {
  return { options: (options) => ({ ...options, inventory: items() }) };
}

function shuffled(items: readonly InventoryItem[]): readonly InventoryItem[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

export const LIST_VARIANTS = permitting({
  'store at start': {
    'empty-store': ['The inventory is empty at start', startingWith(() => [])],
    'single-pet': [
      'The inventory holds a single pet at start',
      startingWith(() => seedInventory({ size: 1 })),
    ],
    'three-thousand-pets': [
      'The inventory holds 3,000 pets at start',
      startingWith(() => seedInventory({ size: 3_000 })),
    ],
    'pet-ids-of-zero-and-below': [
      'The inventory holds pets with petIds of zero and below at start',
      startingWith(() => [
        { petId: -(2n ** 63n), quantity: 2, status: 'pending' },
        { petId: -5n, quantity: 3, status: 'sold' },
        { petId: 0n, quantity: 4, status: 'available' },
        ...seedInventory(),
      ]),
    ],
    'stock-below-zero': [
      'Every pet is sold at start, with a quantity below zero',
      startingWith(() => seedInventory().map(({ petId }) => ({ petId, quantity: -2, status: 'sold' }))),
    ],
  },
  'order of the list': {
    // Another version each time, so that no list is taken from memory.
    'list-in-random-order': [
      'Each list is in another order',
      changeStore((store) => {
        let version = 0;
        return { list: () => shuffled(store.list()), version: () => (version += 1) };
      }),
    ],
  },
  'further members of items': {
    'items-with-look-alike-members': [
      'Items have further members whose names differ only in letter-case',
      changeItems((item) => ({
        PetId: 0,
        petid: 'x',
        ...item,
        Quantity: -1,
        STATUS: 'gone',
        pet_id: '7',
      })),
    ],
  },
});
