import { createHash } from 'node:crypto';

import type { InventoryItem } from '../../../contract/inventory.ts';

/** Quantities from the first to the second, both among them. */
export type QuantityRange = readonly [from: bigint, to: bigint];

/** Something is about to be sent to a claimed pet that may set any of these quantities. */
export type PossibleWrite = {
  readonly petId: bigint;
  readonly quantities: readonly QuantityRange[];
};

/** One line of a journal; those of a later release may have other types. */
export type JournalRecord =
  | { readonly type: 'run'; readonly target: string; readonly startedAt: string }
  /** How pets stand. No other run takes them until they are released. */
  | { readonly type: 'claim'; readonly items: readonly InventoryItem[] }
  | { readonly type: 'send'; readonly writes: readonly PossibleWrite[] }
  /** Claimed pets stand as they did. */
  | { readonly type: 'restored'; readonly petIds: readonly bigint[] }
  | { readonly type: 'release'; readonly petIds: readonly bigint[] }
  /** The whole inventory, which is about to be replaced through a control URL. */
  | { readonly type: 'inventory'; readonly items: readonly InventoryItem[]; readonly control: string }
  /** It is about to be replaced by pets of which this is the digest. */
  | { readonly type: 'fill'; readonly digest: string }
  | { readonly type: 'inventory-restored' };

/** A pet as it stood, and what may have been set since. */
export interface NotedPet {
  readonly item: InventoryItem;
  /** Empty if nothing was sent to it since it stood so. */
  readonly sent: readonly QuantityRange[];
}

/** An inventory that was replaced as a whole. */
export interface NotedInventory {
  readonly items: readonly InventoryItem[];
  readonly control: string;
  /** Digests of what was put in its place. */
  readonly fills: readonly string[];
}

/** What a journal's records come to. */
export interface JournalState {
  readonly target: string;
  readonly startedAt: string;
  /** By petId in decimal digits. */
  readonly pets: ReadonlyMap<string, NotedPet>;
  readonly inventory: NotedInventory | null;
  /** Records whose type is not known, or that the first is not a run's. */
  readonly unknown: number;
}

/** Stands for the set of pets in an inventory. */
export function inventoryDigest(petIds: readonly bigint[]): string {
  return createHash('sha256').update(petIds.map(String).toSorted().join()).digest('hex');
}

/** Follows what the records of a journal come to, in their order. */
export function followRecords(records: readonly JournalRecord[]) {
  const pets = new Map<string, NotedPet>();
  let head = { target: '', startedAt: '' };
  let inventory: NotedInventory | null = null;
  let unknown = 0;
  const update = (petIds: readonly bigint[], change: (pet: NotedPet) => NotedPet): void => {
    for (const petId of petIds.map(String)) {
      const pet = pets.get(petId);
      if (pet !== undefined) {
        pets.set(petId, change(pet));
      }
    }
  };
  const add = (record: JournalRecord): void => {
    switch (record.type) {
      case 'run':
        head = { target: record.target, startedAt: record.startedAt };
        break;
      case 'claim':
        record.items.forEach((item) => pets.set(item.petId.toString(), { item, sent: [] }));
        break;
      case 'send':
        for (const { petId, quantities } of record.writes) {
          update([petId], ({ item, sent }) => ({ item, sent: [...sent, ...quantities] }));
        }
        break;
      case 'restored':
        update(record.petIds, ({ item }) => ({ item, sent: [] }));
        break;
      case 'release':
        record.petIds.forEach((petId) => pets.delete(petId.toString()));
        break;
      case 'inventory':
        inventory = { items: record.items, control: record.control, fills: [] };
        break;
      case 'fill':
        inventory = inventory && { ...inventory, fills: [...inventory.fills, record.digest] };
        break;
      case 'inventory-restored':
        inventory = null;
        break;
      default:
        unknown += 1;
    }
  };
  records.forEach(add);
  return {
    add,
    state: (): JournalState => ({
      ...head,
      pets,
      inventory,
      unknown: unknown + Number(head.target === ''),
    }),
  };
}
