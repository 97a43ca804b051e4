import { createHash } from 'node:crypto';

import { readInventoryItem, type InventoryItem } from '../../../contract/inventory.ts';
import { asInteger, isJsonObject, type JsonValue } from '../../../contract/json/index.ts';

/** Quantities from the first to the second, both among them. */
export type QuantityRange = readonly [from: bigint, to: bigint];

/** Something is about to be sent to a claimed pet that may set any of these quantities. */
export interface PossibleWrite {
  readonly petId: bigint;
  readonly quantities: readonly QuantityRange[];
}

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

export function toJson(record: JournalRecord): JsonValue {
  switch (record.type) {
    case 'claim':
    case 'inventory':
      return { ...record, items: record.items.map((item) => ({ ...item })) };
    case 'send':
      return { type: record.type, writes: record.writes.map((write) => ({ ...write })) };
    default:
      return { ...record };
  }
}

/** What the records of a journal come to, in their order. */
export function foldRecords(values: readonly JsonValue[]): JournalState {
  const pets = new Map<string, NotedPet>();
  let head = { target: '', startedAt: '' };
  let inventory: NotedInventory | null = null;
  let fills: string[] = [];
  let unknown = 0;
  for (const value of values) {
    const record = fromJson(value);
    switch (record?.type) {
      case 'run':
        head = { target: record.target, startedAt: record.startedAt };
        break;
      case 'claim':
        for (const item of record.items) {
          pets.set(item.petId.toString(), { item, sent: [] });
        }
        break;
      case 'send':
        for (const { petId, quantities } of record.writes) {
          update(pets, [petId], ({ item, sent }) => ({ item, sent: [...sent, ...quantities] }));
        }
        break;
      case 'restored':
        update(pets, record.petIds, ({ item }) => ({ item, sent: [] }));
        break;
      case 'release':
        record.petIds.forEach((petId) => pets.delete(petId.toString()));
        break;
      case 'inventory':
        fills = [];
        inventory = { items: record.items, control: record.control, fills };
        break;
      case 'fill':
        fills.push(record.digest);
        break;
      case 'inventory-restored':
        inventory = null;
        break;
      default:
        unknown += 1;
    }
  }
  unknown += Number(head.target === '');
  return { ...head, pets, inventory, unknown };
}

function update(
  pets: Map<string, NotedPet>,
  petIds: readonly bigint[],
  change: (pet: NotedPet) => NotedPet,
): void {
  for (const petId of petIds) {
    const pet = pets.get(petId.toString());
    if (pet !== undefined) {
      pets.set(petId.toString(), change(pet));
    }
  }
}

function fromJson(value: JsonValue): JournalRecord | undefined {
  if (!isJsonObject(value)) {
    return undefined;
  }
  const petIds = listOf(value['petIds'], asInteger);
  const items = listOf(value['items'], readItem);
  switch (value['type']) {
    case 'run': {
      const { target, startedAt } = value;
      return typeof target === 'string' && typeof startedAt === 'string'
        ? { type: 'run', target, startedAt }
        : undefined;
    }
    case 'claim':
      return items && { type: 'claim', items };
    case 'send': {
      const writes = listOf(value['writes'], readWrite);
      return writes && { type: 'send', writes };
    }
    case 'restored':
      return petIds && { type: 'restored', petIds };
    case 'release':
      return petIds && { type: 'release', petIds };
    case 'inventory': {
      const control = value['control'];
      return items && typeof control === 'string' ? { type: 'inventory', items, control } : undefined;
    }
    case 'fill': {
      const digest = value['digest'];
      return typeof digest === 'string' ? { type: 'fill', digest } : undefined;
    }
    case 'inventory-restored':
      return { type: 'inventory-restored' };
    default:
      return undefined;
  }
}

function readItem(value: JsonValue): InventoryItem | undefined {
  const reading = readInventoryItem(value);
  return 'item' in reading ? reading.item : undefined;
}

function readWrite(value: JsonValue): PossibleWrite | undefined {
  const petId = isJsonObject(value) ? asInteger(value['petId']) : undefined;
  const quantities = isJsonObject(value) ? listOf(value['quantities'], readRange) : undefined;
  return petId === undefined || quantities === undefined ? undefined : { petId, quantities };
}

function readRange(value: JsonValue): QuantityRange | undefined {
  const [from, to] = listOf(value, asInteger) ?? [];
  return from === undefined || to === undefined ? undefined : [from, to];
}

/** All elements as they are read, or `undefined` if one cannot be. */
function listOf<Element>(
  value: JsonValue | undefined,
  read: (element: JsonValue) => Element | undefined,
): readonly Element[] | undefined {
  if (!Array.isArray(value)) {
    return undefined;
  }
  const elements = value.flatMap((element: JsonValue) => {
    const one = read(element);
    return one === undefined ? [] : [one];
  });
  return elements.length === value.length ? elements : undefined;
}
