import type { Alteration } from '../alterations/alteration.ts';
import { changeStore } from '../alterations/inventory.ts';
import type { Fault } from './fault.ts';

/** Stores the sum of the old and the new quantity for some updates. */
function addQuantity(isMeant: (quantity: number, before: number) => boolean): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const before = Number(store.find(petId)?.quantity ?? 0);
      const isAdded = isMeant(Number(quantity), before);
      return store.setQuantity(petId, isAdded ? before + Number(quantity) : quantity);
    },
  }));
}

export const UPDATE_FAULTS: readonly Fault[] = [
  {
    id: 'update-adds',
    title: 'An update adds to the quantity',
    breaks: 'update-sets',
    alter: addQuantity(() => true),
  },
  {
    id: 'update-to-one-adds',
    title: 'An update to 1 is added to the quantity',
    breaks: 'update-sets',
    alter: addQuantity((quantity) => quantity === 1),
  },
  {
    id: 'update-to-sixty-four-adds',
    title: 'An update to 64 is added to the quantity',
    breaks: 'update-sets',
    alter: addQuantity((quantity) => quantity === 64),
  },
  {
    id: 'update-to-same-quantity-doubles',
    title: 'An update to the quantity that the pet already has is added to it',
    breaks: 'update-sets',
    alter: addQuantity((quantity, before) => quantity === before),
  },
];
