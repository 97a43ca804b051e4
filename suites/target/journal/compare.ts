import type { InventoryItem } from '../../../contract/inventory.ts';
import type { ExactInteger } from '../../../contract/json/index.ts';
import type { listOf } from '../../oracle/index.ts';
import {
  inventoryDigest,
  type NotedInventory,
  type NotedPet,
  type QuantityRange,
} from './journal-records.ts';

/** What can be read of the list. */
export type Listed = NonNullable<ReturnType<typeof listOf>>;

/** Whether these are all entries. */
export function isWhole({ length, items }: Listed): boolean {
  return length === items.size;
}

/**
 * How a pet that something was sent to stands now: as it did, with a quantity that the run may have set, with one that
 * somebody else set, not at all, or in an entry that cannot be read.
 */
export type PetFate = 'as-noted' | 'as-sent' | 'changed' | 'gone' | 'unreadable';

export function fateOfPet({ item, sent }: NotedPet, listed: Listed): PetFate {
  const now = listed.items.get(item.petId);
  if (now === undefined) {
    return isWhole(listed) ? 'gone' : 'unreadable';
  }
  const quantity = BigInt(now.quantity);
  if (quantity === BigInt(item.quantity)) {
    return 'as-noted';
  }
  return sent.some(([from, to]) => from <= quantity && quantity <= to) ? 'as-sent' : 'changed';
}

/** How an inventory that was replaced stands now: as it did, as the run left it, or as somebody else did. */
type InventoryFate = 'as-noted' | 'as-filled' | 'changed';

export function fateOfInventory({ items, fills }: NotedInventory, listed: Listed): InventoryFate {
  if (isWhole(listed) && areSame(items, listed.items)) {
    return 'as-noted';
  }
  const petIds = [...listed.petIds];
  return petIds.length === listed.length && fills.includes(inventoryDigest(petIds)) ? 'as-filled' : 'changed';
}

function areSame(noted: readonly InventoryItem[], now: Listed['items']): boolean {
  return (
    noted.length === now.size &&
    noted.every(({ petId, quantity, status }) => {
      const other = now.get(petId);
      return other !== undefined && BigInt(other.quantity) === BigInt(quantity) && other.status === status;
    })
  );
}

const NUMBER = /-?\d+(?:[.]\d+)?(?:[eE][+-]?\d+)?/g;
// Bodies beyond are long for other reasons than their quantity.
const LONGEST_BODY = 4096;
const MOST_NUMBERS = 32;
const WIDTHS = [16, 32];

/**
 * Quantities that an update with this body may leave behind at a server that makes anything of it: one of its numbers,
 * rounded or cut to fewer bits, or added to what was there; 0 and 1 for what stands for them elsewhere.
 * @param before the quantity when the update is sent
 */
export function possibleQuantities(
  body: string | Uint8Array | null,
  before: ExactInteger,
): readonly QuantityRange[] {
  const text = (typeof body === 'string' ? body : Buffer.from(body ?? []).toString('latin1')).slice(
    0,
    LONGEST_BODY,
  );
  const numbers = (text.match(NUMBER) ?? []).slice(0, MOST_NUMBERS).flatMap(integersNear);
  const words = /true/i.test(text) ? [1n] : [];
  const nothings = /null|false|""|\[|undefined|^\s*$|\{\s*\}/.test(text) ? [0n] : [];
  const set = [...numbers, ...words, ...nothings];
  const reached = [...set, ...set.map((number) => BigInt(before) + number)];
  const cut = WIDTHS.flatMap((bits) =>
    reached.flatMap((number) => [BigInt.asIntN(bits, number), BigInt.asUintN(bits, number)]),
  );
  return [...new Set([...reached, ...cut])].map((number) => [number, number]);
}

function integersNear(literal: string): readonly bigint[] {
  if (/^-?\d+$/.test(literal)) {
    return [BigInt(literal)];
  }
  const number = Number(literal);
  return Number.isFinite(number) ? [BigInt(Math.floor(number)), BigInt(Math.ceil(number))] : [];
}
