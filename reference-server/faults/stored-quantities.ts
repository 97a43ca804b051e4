import { asInteger, type ExactInteger } from '../../contract/lossless-json.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { Fault } from './fault.ts';
import { changeStore, pretendUpdate } from '../alterations/inventory-changes.ts';
import { quantityIn } from '../alterations/update-changes.ts';

function exactOf(quantity: bigint): ExactInteger {
  return Number.isSafeInteger(Number(quantity)) ? Number(quantity) : quantity;
}

/** Stores and answers another quantity than the one that was sent. */
function convert(change: (quantity: bigint) => bigint): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => store.setQuantity(petId, exactOf(change(BigInt(quantity)))),
  }));
}

/** Stores another quantity than the one that was sent, which is answered. */
function convertStored(change: (quantity: bigint) => bigint): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => {
      const answered = pretendUpdate(store, petId, quantity);
      store.setQuantity(petId, exactOf(change(BigInt(quantity))));
      return answered;
    },
  }));
}

/** Accepts a negative quantity as another one. */
function belowZero(change: (quantity: bigint) => bigint): Alteration {
  return {
    parts: ({ readUpdate }) => ({
      readUpdate: (bytes) => {
        const quantity = asInteger(quantityIn(bytes));
        return quantity === undefined || quantity >= 0n
          ? readUpdate(bytes)
          : { quantity: exactOf(change(quantity)) };
      },
    }),
  };
}

export const STORED_QUANTITY_FAULTS: readonly Fault[] = [
  {
    id: 'quantity-in-signed-16-bits',
    title: 'quantity wraps around at 32,768',
    breaks: 'update-succeeds',
    alter: convert((quantity) => BigInt.asIntN(16, quantity)),
  },
  {
    id: 'quantity-stored-in-16-bits',
    title: 'quantity is stored in 16 bits, and answered as it was sent',
    breaks: 'update-persists',
    alter: convertStored((quantity) => BigInt.asUintN(16, quantity)),
  },
  {
    id: 'negative-quantity-becomes-zero',
    title: 'A negative quantity is accepted as 0',
    breaks: 'update-succeeds',
    alter: belowZero(() => 0n),
  },
  {
    id: 'negative-quantity-kept-apart',
    title: 'A negative quantity is answered as it was sent, and the pet keeps its quantity',
    breaks: 'update-persists',
    alter: {
      parts: ({ readUpdate, inventory }) => ({
        readUpdate: (bytes) => {
          const quantity = asInteger(quantityIn(bytes));
          return quantity === undefined || quantity >= 0n
            ? readUpdate(bytes)
            : { quantity: exactOf(quantity) };
        },
        inventory: {
          ...inventory,
          setQuantity: (petId, quantity) =>
            quantity < 0 ? pretendUpdate(inventory, petId, quantity) : inventory.setQuantity(petId, quantity),
        },
      }),
    },
  },
];
