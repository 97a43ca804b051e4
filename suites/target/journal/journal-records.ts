import { createHash } from 'node:crypto';

import { readInventoryItem, type InventoryItem } from '../../../contract/inventory.ts';
import {
  asInteger,
  isJsonObject,
  listMember,
  stringMember,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/index.ts';

/** Quantities from the first to the second, both among them. */
export type QuantityRange = readonly [from: bigint, to: bigint];

/** Something is about to be sent to a claimed pet that may set any of these quantities. */
export type PossibleWrite = {
  readonly petId: bigint;
  readonly quantities: readonly QuantityRange[];
};

/** One line of a journal. */
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
  /** Records that mean nothing, or that the first is not a run's. */
  readonly unknown: number;
}

/** Stands for the set of pets in an inventory. */
export function inventoryDigest(petIds: readonly bigint[]): string {
  return createHash('sha256').update(petIds.map(String).toSorted().join()).digest('hex');
}

/** Follows what the records of a journal come to, in their order; `undefined` stands for one that means nothing. */
export function followRecords(records: readonly (JournalRecord | undefined)[]) {
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
  const add = (record: JournalRecord | undefined): void => {
    switch (record?.type) {
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

/** What the lines of a journal say; `undefined` for each that means nothing. */
export function readRecords(lines: readonly JsonValue[]): readonly (JournalRecord | undefined)[] {
  return lines.map((line) => {
    try {
      return isJsonObject(line) ? recordOf(line) : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) {
        return undefined;
      }
      throw error;
    }
  });
}

/** @throws {SyntaxError} if it is none */
function recordOf(line: JsonObject): JournalRecord {
  const { type } = line;
  switch (type) {
    case 'run':
      return { type, target: stringMember(line, 'target'), startedAt: stringMember(line, 'startedAt') };
    case 'claim':
      return { type, items: listMember(line, 'items').map(itemOf) };
    case 'send':
      return { type, writes: listMember(line, 'writes').map(writeOf) };
    case 'restored':
    case 'release':
      return { type, petIds: listMember(line, 'petIds').map(integerOf) };
    case 'inventory':
      return { type, items: listMember(line, 'items').map(itemOf), control: stringMember(line, 'control') };
    case 'fill':
      return { type, digest: stringMember(line, 'digest') };
    case 'inventory-restored':
      return { type };
    default:
      return unreadable();
  }
}

function itemOf(value: JsonValue): InventoryItem {
  const reading = readInventoryItem(value);
  return 'item' in reading ? reading.item : unreadable();
}

function writeOf(value: JsonValue): PossibleWrite {
  const write = isJsonObject(value) ? value : unreadable();
  return { petId: integerOf(write['petId']), quantities: listMember(write, 'quantities').map(rangeOf) };
}

function rangeOf(value: JsonValue): QuantityRange {
  const [from, to] = Array.isArray(value) ? value.map(integerOf) : [];
  return from === undefined || to === undefined ? unreadable() : [from, to];
}

function integerOf(value: JsonValue | undefined): bigint {
  return asInteger(value) ?? unreadable();
}

function unreadable(): never {
  throw new SyntaxError('It is no record of a journal');
}
