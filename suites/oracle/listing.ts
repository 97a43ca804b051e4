import { listOf, type Exchange } from './exchange.ts';
import type { InventoryItems, PetIds } from './inventory-list.ts';

/** The inventory, with the exchange that showed it. */
export interface Listing {
  readonly exchange: Exchange;
  readonly items: InventoryItems;
  /** Each petId of the list, of entries that cannot be read as well. */
  readonly petIds: PetIds;
  /** Whether every entry of the list could be read. */
  readonly isWhole: boolean;
}

/** The items of a list response that can be read, or `undefined` if it is no list or none of them can. */
export function readListing(exchange: Exchange): Listing['items'] | undefined {
  return readEntries(exchange)?.items;
}

/** The entries of a list response, or `undefined` if it is no list or none of them can be read. */
export function readEntries(exchange: Exchange): Pick<Listing, 'items' | 'petIds' | 'isWhole'> | undefined {
  const list = listOf(exchange);
  if (list === undefined || (list.length > 0 && list.items.size === 0)) {
    return undefined;
  }
  return { items: list.items, petIds: list.petIds, isWhole: list.problems.size === 0 };
}
