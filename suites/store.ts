import { setTimeout as delay } from 'node:timers/promises';
import type { InventoryItem } from '../contract/inventory.ts';
import { INT64_MAX } from '../contract/lossless-json.ts';
import { storeForChecks } from '../fixtures/store-for-checks.ts';
import { NotServed, type ControlClient } from './control-client.ts';
import { openConnections, type TransportOptions } from './http-transport.ts';
import type { Journal } from './journal.ts';
import { secondsUntilRoom, type Key } from './keys.ts';
import { updateInventory } from './operations.ts';
import type { Pet } from './pets.ts';
import { exchangeOver, type Wire } from './wire.ts';

/** The target's inventory, as far as the run may write to it. */
export interface Store {
  /** Pets that checks may write to, the preferred first. */
  readonly pets: readonly Pet[];
  /** Whether the suite filled the store itself; then `pets` is all of it. */
  readonly isReplaced: boolean;
  /** Whether another run on this machine may be writing to that pet. */
  readonly isSharedElsewhere: (petId: bigint) => boolean;
  /** To be called before anything is sent to these pets. */
  note(pets: readonly Pet[]): void;
  /** These pets were written to and could not be put back yet. */
  owe(pets: readonly Pet[]): void;
  /** These pets stand as they did. */
  settle(pets: readonly Pet[]): void;
  /** Puts back all that is owed. Never throws; what can't be put back becomes a problem. */
  restore(): Promise<void>;
}

export interface StoreOptions {
  readonly existing: readonly bigint[];
  readonly control: ControlClient | null;
  /** What can be read of the inventory before the run, or `null`. */
  readonly listed: readonly InventoryItem[] | null;
  /** Whether `listed` is all of it, so that it can be put back as a whole. */
  readonly isWhole: boolean;
  readonly journal: Journal | null;
  readonly wire: Wire;
  readonly transport: TransportOptions;
  readonly keys: readonly Key[];
  readonly problems: string[];
}

const POLL_MILLISECONDS = 250;
// Longer than a journal's view of the others is kept.
const SETTLING_MILLISECONDS = 120;
const MOST_PETS = 24;
const LONGEST_WAIT_MILLISECONDS = 180_000;

/** Undoes what crashed runs left behind, and finds or makes pets to write to. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { journal, control } = options;
  if (journal === null) {
    return storeOf([], options, null);
  }
  const listed = await undoCrashedRuns(options);
  if (
    control?.capabilities.has('inventory') === true &&
    ((listed !== null && options.isWhole) || control.capabilities.has('reset'))
  ) {
    const whole = options.isWhole ? listed : null;
    const items = storeForChecks();
    journal.note(whole ?? [], whole !== null);
    if (!(await canReplace(control, items))) {
      journal.settle((whole ?? []).map(({ petId }) => petId));
      return storeOf(await choosePets({ ...options, listed }, journal), options, null);
    }
    // The pets of the checks are not the target's: its own inventory comes back as a whole.
    return storeOf(items, { ...options, journal: { ...journal, note: () => {} } }, async () => {
      await (whole === null ? control.reset() : control.replaceInventory(whole));
      journal.settle((whole ?? []).map(({ petId }) => petId));
    });
  }
  return storeOf(await choosePets({ ...options, listed }, journal), options, null);
}

/** @returns `false` where the target does not serve the call that it named */
async function canReplace(control: ControlClient, items: readonly InventoryItem[]): Promise<boolean> {
  try {
    await control.replaceInventory(items);
    return true;
  } catch (error) {
    if (error instanceof NotServed) {
      return false;
    }
    throw error;
  }
}

function storeOf(
  items: readonly InventoryItem[],
  options: StoreOptions,
  putBackInventory: (() => Promise<void>) | null,
): Store {
  const { journal, problems } = options;
  const owed = new Map<string, Pet>();
  const suspects = new Set<string>();
  let restored = false;
  return {
    pets: items.map((item) => ({ petId: item.petId, item })),
    isReplaced: putBackInventory !== null,
    isSharedElsewhere: (petId) => {
      // Once another run noted it, a pet stays suspect for the rest of this one.
      for (const noted of journal?.notedElsewhere() ?? []) {
        suspects.add(noted);
      }
      return suspects.has(petId.toString());
    },
    note: (pets) => {
      if (pets.length > 0) {
        journal?.note(pets.map(({ item }) => item));
      }
    },
    owe: (pets) => {
      for (const pet of pets) {
        owed.set(pet.petId.toString(), pet);
      }
    },
    settle: (pets) => {
      for (const { petId } of pets) {
        owed.delete(petId.toString());
      }
      // They stay noted until the end, so that other runs stay off them between two checks, too.
    },
    restore: async () => {
      if (restored) {
        return;
      }
      restored = true;
      try {
        const left = await putBack(
          [...owed.values()].map(({ item }) => item),
          options,
        );
        await putBackInventory?.();
        journal?.settle(items.map(({ petId }) => petId).filter((petId) => !left.includes(petId)));
        if (left.length > 0) {
          problems.push(
            `The quantity of ${left.length === 1 ? 'pet' : 'pets'} ${left.join(', ')} could not be put back; the next run against this target tries again.`,
          );
        }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        problems.push(
          `The inventory could not be put back (${reason}); the next run against this target tries again.`,
        );
      }
      journal?.close();
    },
  };
}

/** Puts back what crashed runs left behind. @returns the inventory as it stands then */
async function undoCrashedRuns(options: StoreOptions): Promise<readonly InventoryItem[] | null> {
  let { listed } = options;
  for (const { items, whole, forget } of options.journal?.leftBehind() ?? []) {
    const { control } = options;
    if (whole && control?.capabilities.has('inventory') === true && (await canReplace(control, items))) {
      listed = items;
      forget();
    } else {
      const left = await putBack(items, options);
      const restored = new Map(
        items.filter(({ petId }) => !left.includes(petId)).map(({ petId, quantity }) => [petId, quantity]),
      );
      listed =
        listed?.map((item) => ({ ...item, quantity: restored.get(item.petId) ?? item.quantity })) ?? null;
      if (left.length === 0) {
        forget();
      }
    }
  }
  return listed;
}

/** Pets of the target that no other run on this machine writes to. */
async function choosePets(
  { listed, existing }: StoreOptions,
  journal: Journal,
): Promise<readonly InventoryItem[]> {
  const all = (listed ?? [])
    .map((item) => ({ item, rank: preference(item, existing) }))
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ item }) => item);
  for (let waited = 0; ; waited += POLL_MILLISECONDS) {
    const taken = journal.notedElsewhere();
    const open = all.filter(({ petId }) => !taken.has(petId.toString()));
    // The half that is left serves a second run that starts meanwhile.
    const chosen = open.slice(0, Math.max(1, Math.min(MOST_PETS, Math.ceil(open.length / 2))));
    journal.note(chosen);
    await delay(SETTLING_MILLISECONDS);
    // A run that began at the same moment may have chosen the same ones; then both give them up.
    const contested = chosen.filter(({ petId }) => journal.notedElsewhere().has(petId.toString()));
    journal.settle(contested.map(({ petId }) => petId));
    const kept = chosen.filter((item) => !contested.includes(item));
    if (kept.length > 0 || all.length === 0 || waited > LONGEST_WAIT_MILLISECONDS) {
      return kept;
    }
    await delay(POLL_MILLISECONDS * (1 + Math.random()));
  }
}

/** Named pets first, the largest int64 and ids that a double can't hold before others, and else at random, so that runs seldom meet. */
function preference({ petId }: InventoryItem, existing: readonly bigint[]): number {
  const isNamed = existing.includes(petId) ? 4 : 0;
  const isBig = petId > BigInt(Number.MAX_SAFE_INTEGER) ? 2 : 0;
  const isLargest = petId === INT64_MAX ? 1 : 0;
  return isNamed + isBig + isLargest + Math.random();
}

/** Sets quantities with whichever key has room. @returns the pets that could not be set */
async function putBack(items: readonly InventoryItem[], options: StoreOptions): Promise<readonly bigint[]> {
  const { wire, transport, keys } = options;
  // Restoring goes on when the run was interrupted, and is not held back by its budget.
  const steady: Wire = { ...wire, signal: new AbortController().signal, monitors: [] };
  const pool = openConnections(wire.origin, 1, transport);
  const left: bigint[] = [];
  try {
    for (const { petId, quantity } of items) {
      const byRoom = keys.toSorted((a, b) => roomWait(a, wire) - roomWait(b, wire));
      let done = false;
      for (const key of byRoom) {
        if (!done) {
          try {
            const exchange = await exchangeOver(steady, pool, updateInventory(petId, quantity), { key });
            done = exchange.response.status === 200 || exchange.response.status === 404;
          } catch {
            done = false;
          }
        }
      }
      if (!done) {
        left.push(petId);
      }
    }
  } finally {
    await pool.destroy();
  }
  return left;
}

function roomWait(key: Key, { time }: Wire): number {
  return secondsUntilRoom(key, 1, time.now());
}
