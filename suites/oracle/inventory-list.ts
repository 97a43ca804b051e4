import { readInventoryItem, type InventoryItem, type ItemProblem } from '../../contract/inventory.ts';
import {
  asInteger,
  isInt64,
  isJsonObject,
  parseJson,
  type JsonObject,
  type JsonValue,
} from '../../contract/lossless-json.ts';
import { openColumns, type PetIds } from './inventory-columns.ts';

/** What the suite asks a list for. */
export interface InventoryList {
  /** Number of entries. */
  readonly length: number;
  /** The entries that can be read, by petId in decimal digits; the last where a petId stands there more than once. */
  readonly items: ReadonlyMap<string, InventoryItem>;
  /** Each petId that can be read, whatever else its entry says. */
  readonly petIds: PetIds;
  /** For each member that is wrong somewhere: the first entry where it is, and how. */
  readonly problems: ReadonlyMap<ItemProblem['member'], { readonly index: number; readonly message: string }>;
  /** A petId that stands there more than once. */
  readonly repeated: bigint | undefined;
  /** The first entries that are objects. */
  readonly sample: readonly JsonObject[];
}

const SAMPLE = 50;

/** Takes entries one after the other, so that they need not all be in memory. */
function openList() {
  const columns = openColumns();
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
      if (
        petId !== undefined &&
        isInt64(petId) &&
        !columns.add(petId, 'item' in reading ? reading.item : null)
      ) {
        repeated ??= petId;
      }
      if (length < SAMPLE && isJsonObject(value)) {
        sample.push(value);
      }
      length += 1;
    },
    close: (): InventoryList => ({
      length,
      items: columns.items(),
      petIds: columns.petIds(),
      problems,
      repeated,
      sample,
    }),
  };
}

export function readList(body: readonly JsonValue[]): InventoryList {
  const list = openList();
  body.forEach(list.add);
  return list.close();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
// Few enough for their objects to die young.
const BATCH_BYTES = 128 * 1024;

/**
 * Reads the text of a long list bit by bit, so that it takes little more memory than its bytes.
 * @returns `undefined` where it is not a JSON array in UTF-8
 */
export function readLongList(body: Buffer): InventoryList | undefined {
  const list = openList();
  const begin = firstOf(body, '[');
  const end = body.lastIndexOf(']');
  if (begin === undefined || end < begin || body.toString('latin1', end + 1).trim() !== '') {
    return undefined;
  }
  const content = body.subarray(begin + 1, end);
  try {
    for (const batch of batches(content)) {
      const values = parseJson(
        `[${new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(batch)}]`,
      );
      // Nothing stands behind the last comma.
      if (!Array.isArray(values) || (values.length === 0 && batch.byteOffset !== content.byteOffset)) {
        return undefined;
      }
      values.forEach(list.add);
    }
  } catch {
    return undefined;
  }
  return list.close();
}

/** Index of a character that only white space may precede. */
function firstOf(body: Buffer, character: string): number | undefined {
  const index = body.indexOf(character);
  return index !== -1 && body.toString('latin1', 0, Math.min(index, BATCH_BYTES)).trim() === ''
    ? index
    : undefined;
}

/** Cuts what stands in an array between two of its elements, every so many bytes. */
function* batches(content: Buffer): Generator<Buffer> {
  let begin = 0;
  let levels = 0;
  for (let index = 0; index < content.length; index += 1) {
    const code = content[index];
    if (code === QUOTE) {
      index += 1;
      while (index < content.length && content[index] !== QUOTE) {
        index += content[index] === BACKSLASH ? 2 : 1;
      }
    } else if (code === 0x5b || code === 0x7b) {
      levels += 1;
    } else if (code === 0x5d || code === 0x7d) {
      levels -= 1;
    } else if (code === COMMA && levels === 0 && index - begin >= BATCH_BYTES) {
      yield content.subarray(begin, index);
      begin = index + 1;
    }
  }
  yield content.subarray(begin);
}
