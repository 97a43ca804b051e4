import { readInventoryItem, type InventoryItem, type ItemProblem } from '../../contract/inventory.ts';
import { asInteger, isInt64, isJsonObject, type JsonValue } from '../../contract/json/index.ts';

/** The petIds of a list, in its order. */
export interface PetIds extends Iterable<bigint> {
  readonly has: (petId: bigint) => boolean;
}

/** What the suite asks a list for. */
export type InventoryList = ReturnType<typeof readList>;

/** The entries of a list that can be read, in its order. */
export type InventoryItems = ReturnType<typeof itemsOf>;

const SAMPLE = 50;

export function readList(body: readonly JsonValue[]) {
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
    /** Number of entries. */
    length: body.length,
    /** The entries that can be read; the last if a petId stands there more than once. */
    items: itemsOf(pets),
    /** Each petId that can be read, whatever else its entry says. */
    petIds: {
      has: (petId: bigint): boolean => pets.has(petId.toString()),
      [Symbol.iterator]: () => pets.values().map((pet) => (typeof pet === 'bigint' ? pet : pet.petId)),
    },
    /** For each member that is wrong somewhere: the first entry where it is, and how. */
    problems,
    /** A petId that stands there more than once. */
    repeated,
    /** The first entries that are objects. */
    sample: body.slice(0, SAMPLE).filter((value) => isJsonObject(value)),
  };
}

function itemsOf(pets: ReadonlyMap<string, InventoryItem | bigint>) {
  const values = () => pets.values().filter((pet) => typeof pet !== 'bigint');
  const get = (petId: bigint): InventoryItem | undefined => {
    const pet = pets.get(petId.toString());
    return typeof pet === 'bigint' ? undefined : pet;
  };
  return {
    size: values().reduce((count) => count + 1, 0),
    get,
    has: (petId: bigint): boolean => get(petId) !== undefined,
    values,
  };
}
