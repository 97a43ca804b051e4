import { PET_STATUSES, type InventoryItem } from '../../contract/inventory.ts';
import type { ExactInteger } from '../../contract/json/index.ts';

/** The petIds of a list, without an object for each. */
export interface PetIds extends Iterable<bigint> {
  readonly has: (petId: bigint) => boolean;
}

/** The entries of a list that can be read, in their order, without an object for each. */
export interface InventoryItems {
  readonly size: number;
  readonly get: (petId: bigint) => InventoryItem | undefined;
  readonly has: (petId: bigint) => boolean;
  readonly values: () => IteratorObject<InventoryItem, undefined>;
}

const UNREADABLE = 255;
const WIDE = -(2 ** 31);
// Most lists are short, and each is read into columns of its own.
const FIRST_CAPACITY = 64;
const GREATEST_LOAD = 0.7;

const scratch = new BigInt64Array(1);
const halves = new Int32Array(scratch.buffer);

function hash(petId: bigint): number {
  scratch[0] = petId;
  const mixed = Math.imul((halves[0] ?? 0) ^ Math.imul(halves[1] ?? 0, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Keeps items by petId in as few bytes as they need, for lists of a million pets. */
export function openColumns() {
  const columns = newColumns();
  const rowOf = indexRows(columns);
  let readable = 0;
  return {
    /** Adds an item; a later one with the same petId takes its place. `null` for an entry that cannot be read. @returns whether the petId is new */
    add: (petId: bigint, item: InventoryItem | null): boolean => {
      const known = rowOf.find(petId);
      if (known !== -1) {
        if (item !== null) {
          readable += columns.statuses[known] === UNREADABLE ? 1 : 0;
          write(columns, known, item);
        }
        return false;
      }
      if (columns.size === columns.petIds.length) {
        resize(columns, columns.size * 2);
      }
      columns.petIds[columns.size] = petId;
      write(columns, columns.size, item);
      readable += item === null ? 0 : 1;
      columns.size += 1;
      rowOf.addLast();
      return true;
    },
    /** Each petId that was added, of entries that cannot be read as well. */
    petIds: (): PetIds => ({
      has: (petId) => rowOf.find(petId) !== -1,
      [Symbol.iterator]: () => columns.petIds.subarray(0, columns.size).values(),
    }),
    /** The items; nothing is added afterwards. */
    items: (): InventoryItems => {
      resize(columns, columns.size);
      const get = (petId: bigint): InventoryItem | undefined => itemAt(columns, rowOf.find(petId));
      return {
        size: readable,
        get,
        has: (petId) => get(petId) !== undefined,
        values: () => readableRows(columns),
      };
    },
  };
}

interface Columns {
  size: number;
  petIds: BigInt64Array<ArrayBuffer>;
  quantities: Int32Array<ArrayBuffer>;
  statuses: Uint8Array<ArrayBuffer>;
  /** Quantities that 32 bits do not hold, by row. */
  readonly wide: Map<number, ExactInteger>;
}

function newColumns(): Columns {
  return {
    size: 0,
    petIds: new BigInt64Array(FIRST_CAPACITY),
    quantities: new Int32Array(FIRST_CAPACITY),
    statuses: new Uint8Array(FIRST_CAPACITY),
    wide: new Map(),
  };
}

function resize(columns: Columns, length: number): void {
  columns.petIds = new BigInt64Array(resized(columns.petIds, length));
  columns.quantities = new Int32Array(resized(columns.quantities, length));
  columns.statuses = new Uint8Array(resized(columns.statuses, length));
}

function write({ quantities, statuses, wide }: Columns, row: number, item: InventoryItem | null): void {
  const quantity = item?.quantity ?? 0;
  const isNarrow = typeof quantity === 'number' && quantity > WIDE && quantity < -WIDE;
  quantities[row] = isNarrow ? quantity : WIDE;
  wide.delete(row);
  if (!isNarrow) {
    wide.set(row, quantity);
  }
  statuses[row] = item === null ? UNREADABLE : PET_STATUSES.indexOf(item.status);
}

function itemAt({ petIds, quantities, statuses, wide }: Columns, row: number): InventoryItem | undefined {
  const status = PET_STATUSES[statuses[row] ?? UNREADABLE];
  const petId = petIds[row];
  const quantity = quantities[row] === WIDE ? wide.get(row) : quantities[row];
  return status === undefined || petId === undefined || quantity === undefined
    ? undefined
    : { petId, quantity, status };
}

/** Finds rows by the hash of their petId. */
function indexRows(columns: Columns) {
  let slots = new Int32Array(2 * FIRST_CAPACITY).fill(-1);
  /** Index in the slots of a petId, or of the free place for it. */
  const slotOf = (petId: bigint): number => {
    const { petIds } = columns;
    const mask = slots.length - 1;
    let slot = hash(petId) & mask;
    for (let row = slots[slot] ?? -1; row !== -1 && petIds[row] !== petId; row = slots[slot] ?? -1) {
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  return {
    /** Row of a petId; -1 if there is none. */
    find: (petId: bigint): number => slots[slotOf(petId)] ?? -1,
    /** Has the last row found, too. */
    addLast: (): void => {
      const { size, petIds } = columns;
      const isFull = size > slots.length * GREATEST_LOAD;
      slots = isFull ? new Int32Array(resized(slots, 2 * slots.length)).fill(-1) : slots;
      for (let row = isFull ? 0 : size - 1; row < size; row += 1) {
        slots[slotOf(petIds[row] ?? 0n)] = row;
      }
    },
  };
}

/** The bytes of a column in another length. The old ones are freed at once, and not when memory is cleared up. */
function resized(
  { buffer, BYTES_PER_ELEMENT }: { readonly buffer: ArrayBuffer; readonly BYTES_PER_ELEMENT: number },
  length: number,
): ArrayBuffer {
  return buffer.transfer(length * BYTES_PER_ELEMENT);
}

function* readableRows(columns: Columns): Generator<InventoryItem, undefined> {
  for (let row = 0; row < columns.size; row += 1) {
    const item = itemAt(columns, row);
    if (item !== undefined) {
      yield item;
    }
  }
}
