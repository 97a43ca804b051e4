import type { ErrorBody, InventoryItem } from '../../contract/inventory.ts';

/** JSON texts of everything that the service answers with. */
export interface Representation {
  readonly inventory: (items: readonly InventoryItem[]) => string;
  readonly item: (item: InventoryItem) => string;
  readonly pet: (item: InventoryItem) => string;
  readonly orders: (items: readonly InventoryItem[]) => string;
  readonly error: (error: ErrorBody) => string;
}

/** A pet has an id, a name and a status; there is one delivered order for each pet that is sold. */
export const representation: Representation = {
  inventory: (items) => `[${items.map(itemText).join(',')}]`,
  item: itemText,
  pet: ({ petId, status }) => `{"petId":${petId},"name":"Pet ${petId}","status":"${status}"}`,
  orders: (items) => {
    const sold = items.filter(({ status }) => status === 'sold');
    return `[${sold.map(({ petId }, index) => orderText(index + 1, petId)).join(',')}]`;
  },
  error: (error) => JSON.stringify(error),
};

// Written by hand since a bigint has to keep all its digits and no member needs an escape.
function itemText({ petId, quantity, status }: InventoryItem): string {
  return `{"petId":${petId},"quantity":${quantity},"status":"${status}"}`;
}

function orderText(orderId: number, petId: bigint): string {
  return `{"orderId":${orderId},"petId":${petId},"quantity":1,"status":"delivered"}`;
}
