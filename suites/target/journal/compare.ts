import { readInventoryItem, type InventoryItem } from '../../../contract/inventory.ts';
import { asInteger, isJsonObject, type JsonValue } from '../../../contract/json/index.ts';
import { inventoryDigest, type NotedInventory, type NotedPet } from './journal-records.ts';

/** What can be read of the list. */
export interface Listed {
  readonly items: ReadonlyMap<string, InventoryItem>;
  /** Whether these are all entries. */
  readonly isWhole: boolean;
  /** The petId of every entry, or `null` if one has none that can be read. */
  readonly petIds: readonly bigint[] | null;
}

/** Reads the body of a list response, or `undefined` if it is no list. */
export function readListed(body: JsonValue | undefined): Listed | undefined {
  if (!Array.isArray(body)) {
    return undefined;
  }
  const items = new Map<string, InventoryItem>();
  const petIds: bigint[] = [];
  for (const value of body) {
    const reading = readInventoryItem(value);
    const petId = isJsonObject(value) ? asInteger(value['petId']) : undefined;
    if ('item' in reading) {
      items.set(reading.item.petId.toString(), reading.item);
    }
    petIds.push(...(petId === undefined ? [] : [petId]));
  }
  return {
    items,
    isWhole: items.size === body.length,
    petIds: petIds.length === body.length ? petIds : null,
  };
}

/**
 * How a pet that something was sent to stands now: as it did, with a quantity that the run may have set, with one that
 * somebody else set, not at all, or in an entry that cannot be read.
 */
export type PetFate = 'as-noted' | 'as-sent' | 'changed' | 'gone' | 'unreadable';

export function fateOfPet({ item, sent }: NotedPet, listed: Listed): PetFate {
  const now = listed.items.get(item.petId.toString());
  if (now === undefined) {
    return listed.isWhole ? 'gone' : 'unreadable';
  }
  const quantity = BigInt(now.quantity);
  if (quantity === BigInt(item.quantity)) {
    return 'as-noted';
  }
  return sent.some(([from, to]) => from <= quantity && quantity <= to) ? 'as-sent' : 'changed';
}

/** How an inventory that was replaced stands now: as it did, as the run left it, or as somebody else did. */
export type InventoryFate = 'as-noted' | 'as-filled' | 'changed';

export function fateOfInventory({ items, fills }: NotedInventory, listed: Listed): InventoryFate {
  if (listed.isWhole && areSame(items, listed.items)) {
    return 'as-noted';
  }
  return listed.petIds !== null && fills.includes(inventoryDigest(listed.petIds)) ? 'as-filled' : 'changed';
}

function areSame(noted: readonly InventoryItem[], now: ReadonlyMap<string, InventoryItem>): boolean {
  return (
    noted.length === now.size &&
    noted.every(({ petId, quantity, status }) => {
      const other = now.get(petId.toString());
      return other !== undefined && BigInt(other.quantity) === BigInt(quantity) && other.status === status;
    })
  );
}
