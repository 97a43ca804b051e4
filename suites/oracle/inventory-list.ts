import { isUtf8 } from 'node:buffer';
import { readInventoryItem, type InventoryItem, type ItemProblem } from '../../contract/inventory.ts';
import {
  asInteger,
  isInt64,
  isJsonObject,
  parseIfJson,
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

/** Takes entries one after the other, so that they need not all be in memory. */
function openList() {
  // By petId in decimal digits, which are found faster than a bigint; of an entry that cannot be read the petId alone.
  const pets = new Map<string, InventoryItem | bigint>();
  const problems = new Map<ItemProblem['member'], { index: number; message: string }>();
  const sample: JsonObject[] = [];
  let length = 0;
  let repeated: bigint | undefined;
  return {
    add: (value: JsonValue): void => {
      const reading = readInventoryItem(value);
      for (const { member, message } of 'problems' in reading ? reading.problems : []) {
        if (!problems.has(member)) {
          problems.set(member, { index: length, message });
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
      if (length < SAMPLE && isJsonObject(value)) {
        sample.push(value);
      }
      length += 1;
    },
    close: (): InventoryList => ({
      length,
      items: itemsOf(pets),
      petIds: {
        has: (petId) => pets.has(petId.toString()),
        [Symbol.iterator]: () => pets.values().map((pet) => (typeof pet === 'bigint' ? pet : pet.petId)),
      },
      problems,
      repeated,
      sample,
    }),
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

export function readList(body: readonly JsonValue[]): InventoryList {
  const list = openList();
  body.forEach(list.add);
  return list.close();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
// Few enough for their objects to die young.
const BATCH_BYTES = 128 * 1024;

/**
 * Reads the text of a long list part by part, so that its text and a value for each entry are not in memory at once.
 * @returns `undefined` if it is not a JSON array in UTF-8, or holds more than is read (`findJsonExcess`)
 */
export function readLongList(body: Buffer): InventoryList | undefined {
  const begin = beginOfArray(body);
  if (begin === undefined || !isUtf8(body)) {
    return undefined;
  }
  const list = openList();
  let at = skipSpace(body, begin + 1);
  if (body[at] !== CLOSE_BRACKET) {
    for (;;) {
      const end = addEntries(list, body, at);
      at = skipSpace(body, end ?? body.length);
      if (body[at] !== COMMA) {
        break;
      }
      at = skipSpace(body, at + 1);
    }
  }
  return body[at] === CLOSE_BRACKET && skipSpace(body, at + 1) === body.length ? list.close() : undefined;
}

/** Index of the bracket that opens the array which a text is; a byte order mark may precede it (RFC 8259, section 8.1). */
export function beginOfArray(body: Buffer): number | undefined {
  const begin = skipSpace(body, body.toString('latin1', 0, 3) === BYTE_ORDER_MARK ? 3 : 0);
  return body[begin] === OPEN_BRACKET ? begin : undefined;
}

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** Adds some entries, the first of which begins at an index. @returns where they end; `undefined` if they are not JSON */
function addEntries(list: ReturnType<typeof openList>, body: Buffer, begin: number): number | undefined {
  const end = endOfBatch(body, begin);
  const values = parseIfJson(`[${body.toString('utf8', begin, end)}]`);
  if (!Array.isArray(values) || values.length === 0) {
    return undefined;
  }
  values.forEach(list.add);
  return end;
}

/** Index of the first byte from an index on that is no white space of JSON. */
function skipSpace(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) {
    at += 1;
  }
  return at;
}

/** Where the first entry ends that is some way behind an index, or the array does. */
function endOfBatch(body: Buffer, begin: number): number {
  let levels = 0;
  for (let index = begin; index < body.length; index += 1) {
    const code = body[index];
    if (code === QUOTE) {
      index += 1;
      while (index < body.length && body[index] !== QUOTE) {
        index += body[index] === BACKSLASH ? 2 : 1;
      }
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      levels += 1;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      levels -= 1;
    }
    if (levels < 0 || (code === COMMA && levels === 0 && index - begin >= BATCH_BYTES)) {
      return index;
    }
  }
  return body.length;
}
