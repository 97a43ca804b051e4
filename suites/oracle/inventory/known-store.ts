import type { InventoryItem } from '../../../contract/inventory.ts';
import type { Presence } from '../answers/permitted-answers.ts';
import { followUpdatesElsewhere } from './followed-updates.ts';
import {
  admitQuantity,
  beginWrite,
  possiblyOnly,
  type KnownEntry,
  type PossibleEntries,
} from './possible-entries.ts';

/** What is known of the store. Moments are numbers of events. */
export type KnownStore = ReturnType<typeof unknownStore>;

/** What there need not be of a store; there is nothing at first. */
interface MayBeKnown {
  /** The pets that nobody else writes to, if somebody may write to others; `null` if nobody does. */
  claimed: ReadonlySet<bigint> | null;
  /** How each pet stood at `since`, or `null` if that is not known of all of them. */
  entries: Map<bigint, KnownEntry> | null;
  /** When a list first showed a pet that cannot stand so, unless somebody else wrote to it, in milliseconds of the timekeeper. */
  firstChange: number | null;
  /** What was carried out while the inventory is being replaced, before or after that; `null` if it is not. */
  meanwhile: MeanwhileWritten | null;
}

const NOTHING_KNOWN: Readonly<MayBeKnown> = {
  claimed: null,
  entries: null,
  firstChange: null,
  meanwhile: null,
};

/** What a request may write. */
export interface SentWrite {
  /** `null` if it may change any pet. */
  readonly petId: bigint | null;
  /** `null` if it may set any. */
  readonly quantity: number | null;
  readonly sentAt: number;
  /** Whether it has surely changed nothing. */
  isRefused: boolean;
}

// A longer list is not compared entry by entry.
export const MOST_KNOWN_PETS = 20_000;
// More of them than that are no chance any more, and nothing could be told.
const MOST_OPEN = 1_000;

export function unknownStore() {
  return {
    ...NOTHING_KNOWN,
    /** Whether nobody writes to it whose requests are not part of the history. */
    isOurs: false,
    /** Whether a request that got no answer may still change any pet, at any time. */
    isHaunted: false,
    /** What was sent before this moment may have met another store. */
    since: Number.POSITIVE_INFINITY,
    /** The pets that something was written to. */
    written: new Map<bigint, PossibleEntries>(),
    /** Pets of which it is not known any more whether they are in the store, and how they stand. */
    doubtful: new Set<bigint>(),
    /** Pets that a list has shown or left out as none could, so that it is not known whether they are in the store. */
    disputed: new Set<bigint>(),
    /** How often a list has shown a pet again that one before had left out as none could. */
    returned: 0,
    /** How many lists in a row, of those that updates came before, have shown a pet that cannot stand so. */
    changesInARow: 0,
    /** How many lists lacked a claimed pet right after something was sent. */
    vanishings: 0,
    /** How many lists were as they should be after updates that were all accepted, and after ones that were all refused. */
    clean: { accepted: 0, refused: 0 },
    /** How many lists have shown a change though nothing was sent, if only some pets are claimed. */
    foreign: 0,
    followed: followUpdatesElsewhere(),
    /** Requests under way that may change any pet. */
    wild: new Map<number, SentWrite>(),
    /** When the oldest list was asked for that is compared once those are over; infinite if there is none. */
    heldBackSince: Number.POSITIVE_INFINITY,
    /** Updates that may still be carried out, as they are under way or got no answer. */
    pending: new Map<number, SentWrite>(),
  };
}

interface MeanwhileWritten {
  readonly pets: { readonly petId: bigint; readonly quantity: number | null }[];
  /** Whether any pet may have been changed. */
  isWild: boolean;
}

/** Whether nobody else writes to that pet, if the store is ours at all. */
export function isClaimed({ claimed }: Pick<KnownStore, 'claimed'>, petId: bigint): boolean {
  return claimed === null || claimed.has(petId);
}

/** The store may be any. @param isOurs whether that changes once a list shows it */
export function forget(store: KnownStore, isOurs: boolean, now: number): void {
  store.isOurs = isOurs && !store.isHaunted;
  store.entries = null;
  store.since = now;
  store.written.clear();
  store.doubtful.clear();
}

/**
 * Forgets a store of which too much is open.
 * @param underWay requests that are still to be answered
 * @returns whether it is not followed any more, so that what is under way may meet anything
 */
export function boundMemory(store: KnownStore, now: number, underWay: number): boolean {
  const { pending, disputed, written, doubtful, entries } = store;
  if (pending.size > MOST_OPEN + underWay || disputed.size > MOST_OPEN) {
    giveUp(store, now);
    return true;
  }
  if (written.size > Math.max(MOST_OPEN, entries?.size ?? 0) || doubtful.size > MOST_OPEN) {
    forget(store, store.isOurs, now);
  }
  return false;
}

/** Whatever was sent may still change any pet, at any time. */
export function giveUp(store: KnownStore, now: number): void {
  store.isHaunted = true;
  store.pending.clear();
  store.disputed.clear();
  forget(store, false, now);
}

/** The inventory is being replaced. */
export function beginReplacement(store: KnownStore, now: number): void {
  forget(store, false, now);
  store.meanwhile = { pets: [], isWild: false };
}

/** The inventory was replaced. @param items what it holds, or `null` if that is not known */
export function endReplacement(store: KnownStore, items: readonly InventoryItem[] | null, now: number): void {
  const { meanwhile } = store;
  forget(store, items !== null, now);
  store.claimed = null;
  store.meanwhile = null;
  store.disputed.clear();
  if (items === null || items.length > MOST_KNOWN_PETS || meanwhile?.isWild === true) {
    return;
  }
  learn(
    store,
    items.map(({ petId, quantity }) => ({ petId, quantity, status: null })),
    now,
  );
  for (const { petId, quantity } of meanwhile?.pets ?? []) {
    const possible = entriesOf(store, petId);
    if (possible !== undefined) {
      admitQuantity(possible, quantity, { sentAt: now, now });
    }
  }
}

/** The whole store is known. @param since when it stood so, at the latest */
export function learn(
  store: KnownStore,
  items: Iterable<KnownEntry & Pick<InventoryItem, 'petId'>>,
  since: number,
): void {
  store.entries = new Map([...items].map((item) => [item.petId, item]));
  store.since = since;
  store.doubtful.clear();
}

/** Whether that pet was in the store while a request was under way. */
export function presenceDuring(store: KnownStore, petId: bigint, sentAt: number): Presence {
  const { isOurs, entries, since, doubtful, disputed, wild } = store;
  if (
    !isOurs ||
    !isClaimed(store, petId) ||
    entries === null ||
    sentAt <= since ||
    wild.size > 0 ||
    doubtful.has(petId) ||
    disputed.has(petId)
  ) {
    return 'unknown';
  }
  return entries.has(petId) ? 'present' : 'absent';
}

/** What a pet may stand at, to be changed; `undefined` if nothing of it can be known. */
export function entriesOf(store: KnownStore, petId: bigint): PossibleEntries | undefined {
  if (!store.isOurs || !isClaimed(store, petId) || store.doubtful.has(petId)) {
    return undefined;
  }
  const found = store.written.get(petId);
  if (found !== undefined) {
    return found;
  }
  const known = store.entries?.get(petId);
  if (known === undefined && store.entries !== null) {
    return undefined;
  }
  const possible = possiblyOnly(known ?? null, store.since, store.since);
  for (const [id, write] of store.pending) {
    if (write.petId === petId) {
      beginWrite(possible, id, write.quantity, write.sentAt);
    }
  }
  store.written.set(petId, possible);
  return possible;
}
