import { readInventoryItem, type InventoryItem, type ItemProblem } from '../../contract/inventory.ts';
import {
  asInteger,
  isInt64,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/index.ts';

/** The petIds of a list, in its order. */
export interface PetIds extends Iterable<bigint> {
  readonly has: (petId: bigint) => boolean;
}

/** The entries of a list that can be read, in its order. */
export interface InventoryItems {
  readonly size: number;
  readonly get: (petId: bigint) => InventoryItem | undefined;
  readonly has: (petId: bigint) => boolean;
  readonly values: () => IteratorObject<InventoryItem, undefined>;
}

/** What the suite asks a list for. */
export interface InventoryList {
  /** Number of entries. */
  readonly length: number;
  /** For each member that is wrong somewhere: the first entry where it is, and how. */
  readonly problems: ReadonlyMap<ItemProblem['member'], { readonly index: number; readonly message: string }>;
  /** The first entries that are objects. */
  readonly sample: readonly JsonObject[];
  /** The entries that can be read; the last if a petId stands there more than once. */
  readonly items: InventoryItems;
  /** Each petId that can be read, whatever else its entry says. */
  readonly petIds: PetIds;
  /** A petId that stands there more than once. */
  readonly repeated: bigint | undefined;
}

const SAMPLE = 50;

export function readList(body: readonly JsonValue[]): InventoryList {
  // By petId in decimal digits, which are found faster than a bigint; of an entry that cannot be read the petId alone.
  const pets = new Map<string, InventoryItem | bigint>();
  const problems = new Map<ItemProblem['member'], { index: number; message: string }>();
  let repeated: bigint | undefined;
  for (const [index, value] of body.entries()) {
    const reading = readInventoryItem(value);
    for (const { member, message } of 'problems' in reading ? reading.problems : []) {
      if (!problems.has(member)) {
        problems.set(member, { index, message });
      }
    }
    const petId = isJsonObject(value) ? asInteger(value['petId']) : undefined;
    if (petId !== undefined && isInt64(petId)) {
      const key = petId.toString();
      const isNew = !pets.has(key);
      repeated ??= isNew ? undefined : petId;
      if (isNew || 'item' in reading) {
        pets.set(key, 'item' in reading ? reading.item : petId);
      }
    }
  }
  return {
    length: body.length,
    items: itemsOf(pets),
    petIds: {
      has: (petId) => pets.has(petId.toString()),
      [Symbol.iterator]: () => pets.values().map((pet) => (typeof pet === 'bigint' ? pet : pet.petId)),
    },
    problems,
    repeated,
    sample: body.slice(0, SAMPLE).filter((value) => isJsonObject(value)),
  };
}

function itemsOf(pets: ReadonlyMap<string, InventoryItem | bigint>): InventoryItems {
  const values = () => pets.values().filter((pet) => typeof pet !== 'bigint');
  const get = (petId: bigint): InventoryItem | undefined => {
    const pet = pets.get(petId.toString());
    return typeof pet === 'bigint' ? undefined : pet;
  };
  return {
    size: values().reduce((count) => count + 1, 0),
    get,
    has: (petId) => get(petId) !== undefined,
    values,
  };
}
