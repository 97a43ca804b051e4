import { isPetStatus, type InventoryItem } from '../../contract/inventory.ts';
import type { ExactInteger } from '../../contract/json/index.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import { createKeyDirectory } from './key-directory.ts';

/** How far the state of the service has come: `version` counts the changes within a generation. */
export interface Position {
  readonly generation: number;
  readonly version: number;
}

/** All of the state that every process holds. */
export interface Snapshot extends Position {
  /** Names the entries that quantities are set in; `seed` for those at start. */
  readonly base: string;
  /** The entries as text; empty if the replica has them already, or for `seed`. */
  readonly entries: readonly string[];
  /** Digest, record, digest, record … */
  readonly records: readonly string[];
  /** petId, quantity, petId, quantity … */
  readonly quantities: readonly string[];
  /** How often the service was reset. */
  readonly resets: number;
}

export type Replica = ReturnType<typeof createReplica>;

/**
 * What one process knows of keys and inventory; it is never ahead of Redis.
 * @param seed the entries at start, each petId once
 */
export function createReplica(seed: readonly InventoryItem[]) {
  const keys = createKeyDirectory();
  let position: Position = { generation: 0, version: 0 };
  let base = { name: 'seed', entries: seed };
  let items = new Map<bigint, InventoryItem>();
  let writes = 0;
  let resets = 0;
  let wasReset: (() => void) | undefined;

  function setQuantity(petId: bigint, quantity: ExactInteger): void {
    const found = items.get(petId);
    if (found !== undefined) {
      items.set(petId, { ...found, quantity });
      writes += 1;
    }
  }

  function carryOut(change: string): void {
    const [kind, subject = '', value = '', ...further] = change.split(' ');
    if (kind === 'record') {
      keys.put(subject, [value, ...further].join(' '));
    } else {
      setQuantity(BigInt(subject), readQuantity(value));
    }
  }

  return {
    position: (): Position => position,
    base: (): string => base.name,
    keys,
    inventory: {
      find: (petId) => items.get(petId),
      list: () => [...items.values()],
      version: () => writes,
    } satisfies Partial<InventoryStore>,
    /** Carries out the last changes that led to a position, if they are new. */
    follow: (to: Position, changes: readonly string[]): void => {
      const missing = to.version - position.version;
      if (missing > 0) {
        changes.slice(-missing).forEach(carryOut);
        position = to;
      }
    },
    load: (snapshot: Snapshot): void => {
      if (snapshot.base !== base.name) {
        base = {
          name: snapshot.base,
          entries: snapshot.base === 'seed' ? seed : snapshot.entries.flatMap(readEntries),
        };
      }
      items = new Map(base.entries.map((item) => [item.petId, item]));
      for (let index = 0; index < snapshot.quantities.length; index += 2) {
        setQuantity(
          BigInt(snapshot.quantities[index] ?? ''),
          readQuantity(snapshot.quantities[index + 1] ?? ''),
        );
      }
      writes += 1;
      position = { generation: snapshot.generation, version: snapshot.version };
      const isReset = snapshot.resets !== resets;
      resets = snapshot.resets;
      keys.load(snapshot.records, isReset);
      if (isReset) {
        wasReset?.();
      }
    },
    /** Calls back after each snapshot of a state that was reset. */
    onReset: (listener: () => void): void => {
      wasReset = listener;
    },
  };
}

const ENTRIES_IN_A_TEXT = 10_000;

/** Entries as texts of lines, of which none is very long. */
export function writeEntries(items: readonly InventoryItem[]): readonly string[] {
  const lines = items.map(({ petId, quantity, status }) => `${petId} ${quantity} ${status}`);
  return Array.from({ length: Math.ceil(lines.length / ENTRIES_IN_A_TEXT) }, (_, index) =>
    lines.slice(index * ENTRIES_IN_A_TEXT, (index + 1) * ENTRIES_IN_A_TEXT).join('\n'),
  );
}

function readEntries(text: string): readonly InventoryItem[] {
  return text.split('\n').map((line) => {
    const [petId = '', quantity = '', status] = line.split(' ');
    if (!isPetStatus(status)) {
      throw new TypeError(`Redis holds an entry without a status: ${line}`);
    }
    return { petId: BigInt(petId), quantity: readQuantity(quantity), status };
  });
}

function readQuantity(text: string): ExactInteger {
  const narrow = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(narrow) ? BigInt(text) : narrow;
}
