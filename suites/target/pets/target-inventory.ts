import { setTimeout as delay } from 'node:timers/promises';

import { messageOf } from '../../../contract/error-text.ts';
import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import { EDGE_PET_IDS, storeForChecks } from '../../../fixtures/corpora/index.ts';
import type { Profile } from '../../../contract/verdict.ts';
import { updateInventory } from '../http/operations.ts';
import { NotServed, type ControlClient } from '../control/control-client.ts';
import {
  isWhole,
  openJournal,
  possibleQuantities,
  stateDirectories,
  type Journal,
  type StateDirectory,
} from '../journal/index.ts';
import { followedPet, followPets, type FollowedPet } from './follow-pets.ts';
import { isPlainQuantity, type Pet } from './pets.ts';
import {
  describePets,
  partLeft,
  type PetLeft,
  isSetBack,
  lookAtList,
  putBackPets,
  undoAbandonedRuns,
  type RestoringOptions,
} from './restoring.ts';

/** The target's inventory, and what the run may write to it. */
export interface TargetInventory extends Omit<ReturnType<typeof followPets>, 'foreign'> {
  /** Pets that checks may write to, the preferred first. */
  readonly pets: readonly Pet[];
  /** Whether the suite filled the inventory itself; then `pets` is all of it. */
  readonly isReplaced: boolean;
  /** Why checks may not replace the inventory though a control URL would let them, or `null`. */
  readonly whyKept: string | null;
  /** The control URL, such that what replaces the inventory is noted before; `null` without one. */
  readonly control: ControlClient | null;
  /** Puts back all that is owed. Never throws; what cannot be put back becomes a problem. @returns whether there is nothing such */
  restore(): Promise<boolean>;
}

export interface TargetInventoryOptions extends RestoringOptions {
  /** Base URL of the target, as the user wrote it. */
  readonly target: string;
  /** Whether the target ends with the run, so that nothing stays changed. */
  readonly isOwn: boolean;
  /** Whether the run writes itself; if it does not, it may still put back what an earlier one left, or only say so. */
  readonly access: 'writes' | 'restores' | 'reads';
  readonly existing: readonly bigint[];
  /** What can be read of the inventory before the run, or `null`. */
  readonly listed: readonly InventoryItem[] | null;
  /** Whether `listed` is all of it, so that it can be put back as a whole. */
  readonly isWhole: boolean;
  /** @throws {UnusableState} */
  readonly openState: () => StateDirectory;
}

/** Profile safe only reads. */
export function accessOf(profile: Profile, writes: boolean): TargetInventoryOptions['access'] {
  if (profile === 'safe') {
    return 'reads';
  }
  return writes ? 'writes' : 'restores';
}

const POLL_MILLISECONDS = 250;
// Longer than a run takes from its look at the others to its claim.
const SETTLING_MILLISECONDS = 120;
const MOST_PETS = 24;
const LONGEST_WAIT_MILLISECONDS = 180_000;

/** Undoes what crashed runs left behind, and finds or makes pets to write to. @throws {UnusableState} */
export async function openTargetInventory(options: TargetInventoryOptions): Promise<TargetInventory> {
  const { target, access } = options;
  const state = access === 'writes' ? options.openState() : null;
  const wrote = await undoAbandonedRuns(
    target,
    state?.all ?? stateDirectories(),
    access !== 'reads',
    options,
  );
  if (state === null) {
    return readOnlyInventory(options);
  }
  const seen = wrote ? await lookAtList(options) : null;
  const listed = seen === null ? options.listed : [...seen.items.values()];
  const isAll = seen === null ? options.isWhole : isWhole(seen);
  const journal = openJournal(target, state, !options.isOwn);
  const { control } = options;
  if (control?.capabilities.has('inventory') !== true) {
    return writableInventory(await choosePets(listed, journal, options), journal, options, null);
  }
  if (listed === null || !isAll) {
    const pets = await choosePets(listed, journal, options);
    return {
      ...writableInventory(pets, journal, options, null),
      whyKept:
        'The inventory could not be noted in full before the run. It could not be put back as it was, so it is not replaced.',
    };
  }
  return fillInventory(listed, control, journal, options);
}

/** Fills the target's inventory with pets for the checks; its own is put back as a whole. */
async function fillInventory(
  whole: readonly InventoryItem[],
  control: ControlClient,
  journal: Journal,
  options: TargetInventoryOptions,
): Promise<TargetInventory> {
  const items = storeForChecks();
  journal.noteInventory(whole, control.url);
  const noting = notingFills(control, journal);
  try {
    await noting.replaceInventory(items);
  } catch (error) {
    if (error instanceof NotServed) {
      journal.inventoryRestored();
      return writableInventory(await choosePets(whole, journal, options), journal, options, null);
    }
    // It may have been replaced all the same.
    await control.replaceInventory(whole).then(
      () => journal.inventoryRestored(),
      () => undefined,
    );
    journal.close();
    throw error;
  }
  return writableInventory(items, journal, { ...options, control: noting }, () =>
    control.replaceInventory(whole),
  );
}

function notingFills(control: ControlClient, journal: Journal): ControlClient {
  return {
    ...control,
    replaceInventory: (items) => {
      journal.noteFill(items.map(({ petId }) => petId));
      return control.replaceInventory(items);
    },
  };
}

/** Of a run that sends nothing to any pet. */
function readOnlyInventory({ control, client: { time } }: TargetInventoryOptions): TargetInventory {
  const noting = followPets([], { journal: null, time });
  return {
    pets: [],
    isReplaced: false,
    whyKept: null,
    control,
    ...noting,
    restore: () => Promise.resolve(true),
  };
}

/** @param putBackInventory `null` if the pets are the target's own */
function writableInventory(
  items: readonly InventoryItem[],
  journal: Journal,
  options: TargetInventoryOptions,
  putBackInventory: (() => Promise<void>) | null,
): TargetInventory {
  const pets = items.map(followedPet);
  const isReplaced = putBackInventory !== null;
  const { time } = options.client;
  const { foreign, ...noting } = followPets(pets, { journal: isReplaced ? null : journal, time });
  let isRestored: boolean | null = null;
  return {
    pets,
    isReplaced,
    whyKept: null,
    control: options.control,
    ...noting,
    restore: async () => {
      if (isRestored !== null) {
        return isRestored;
      }
      isRestored = true;
      try {
        if (putBackInventory === null) {
          isRestored = await restorePets(pets, noting.owed(pets), { journal, foreign, options });
          await tellStatuses(pets, options);
        } else {
          await putBackInventory();
          journal.inventoryRestored();
        }
      } catch (error) {
        isRestored = false;
        const reason = messageOf(error);
        options.problems.push(
          `The inventory could not be put back (${reason}). ${NEXT_RUN} The journal is ${journal.file}.`,
        );
      }
      if (foreign.size > 0) {
        options.problems.push(
          `Somebody else has written to what this run had written to: ${describePets([...foreign.values()])}.`,
        );
      }
      journal.close();
      return isRestored;
    },
  };
}

// A target that is away for a moment at the end of a run is to be left as it was, too.
const PATIENCE_MILLISECONDS = 10_000;
const NEXT_RUN = 'The next run against this target tries again.';

interface PuttingBack {
  readonly journal: Journal;
  /** Takes what somebody else has set. */
  readonly foreign: Map<bigint, PetLeft>;
  readonly options: TargetInventoryOptions;
}

/** @returns whether all stand as they did, or as somebody else set them */
async function restorePets(
  claimed: readonly Pet[],
  owed: readonly FollowedPet[],
  { journal, foreign, options }: PuttingBack,
): Promise<boolean> {
  const listed = owed.length === 0 ? null : await lookAtList(options, PATIENCE_MILLISECONDS);
  const noted = owed
    .filter(({ item, shown }) => listed !== null || shown !== BigInt(item.quantity))
    .map(({ petId, item, own, underWay, isRefused }) => ({
      item,
      sent: [...journal.sentTo(petId), ...[...own].map((quantity) => [quantity, quantity] as const)],
      isRefused: isRefused && underWay === 0,
    }));
  const left = partLeft(await putBackPets(noted, listed, options));
  left.foreign.forEach((pet) => foreign.set(pet.petId, pet));
  const stuck = new Set(left.owed.map(({ petId }) => petId));
  journal.release(claimed.map(({ petId }) => petId).filter((petId) => !stuck.has(petId)));
  if (left.owed.length > 0) {
    options.problems.push(
      `Could not be put back: ${describePets(left.owed)}. ${NEXT_RUN} The journal is ${journal.file}; delete it to forget this.`,
    );
  }
  return left.owed.every(({ fate }) => fate !== undefined);
}

/** Says which statuses the target changed with quantities and did not change back: no request sets one. */
async function tellStatuses(pets: readonly FollowedPet[], options: TargetInventoryOptions): Promise<void> {
  const suspects = pets.filter(({ hasChangedStatus }) => hasChangedStatus);
  const after = suspects.length === 0 ? null : await lookAtList(options);
  const changed = suspects.flatMap(({ petId, item }) => {
    const now = after?.items.get(petId)?.status ?? item.status;
    return now === item.status ? [] : [{ petId, why: `was ${item.status}, and is ${now}` }];
  });
  if (changed.length > 0) {
    options.problems.push(
      `The target changed a status along with a quantity, and did not change it back with the quantity: ${describePets(changed)}. No request of the service sets a status.`,
    );
  }
}

/**
 * Pets that no other run on this machine writes to, and that can be put back: those of an ordinary quantity. If there are
 * none, one of the others tells whether the target takes the quantity at which it stands.
 */
async function choosePets(
  listed: readonly InventoryItem[] | null,
  journal: Journal,
  options: TargetInventoryOptions,
): Promise<readonly InventoryItem[]> {
  const all = listed ?? [];
  const ordinary = all.filter(isPlainQuantity);
  const chosen = await claimPets(ordinary.length > 0 ? ordinary : all, options.existing, journal);
  const [first] = chosen;
  if (first === undefined || isPlainQuantity(first)) {
    return chosen;
  }
  const { petId, quantity } = first;
  const update = updateInventory(petId, quantity);
  journal.send([{ petId, quantities: possibleQuantities(update.body, quantity) }]);
  if (await isSetBack(first, options)) {
    return chosen;
  }
  journal.release(chosen.map((item) => item.petId));
  options.problems.push(
    `Every pet stands at a quantity below zero or beyond 32 bits, and the target refused to set pet ${petId} to ${quantity}, as it stands. No pet was changed, because none could be put back: give the target a pet of an ordinary quantity, or a control URL that offers inventory.`,
  );
  return [];
}

async function claimPets(
  listed: readonly InventoryItem[],
  existing: readonly bigint[],
  journal: Journal,
): Promise<readonly InventoryItem[]> {
  const all = listed
    .map((item) => ({ item, rank: preference(item, existing) }))
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ item }) => item);
  for (let waited = 0; ; waited += POLL_MILLISECONDS) {
    const taken = journal.claimedElsewhere();
    const open = all.filter(({ petId }) => !taken.has(petId.toString()));
    // The half that is left serves a second run that starts meanwhile.
    const chosen = open.slice(0, Math.max(1, Math.min(MOST_PETS, Math.ceil(open.length / 2))));
    journal.claim(chosen);
    await delay(SETTLING_MILLISECONDS);
    // A run that began at the same moment may have chosen the same ones; then both give them up.
    const claimed = journal.claimedElsewhere();
    const contested = chosen.filter(({ petId }) => claimed.has(petId.toString()));
    journal.release(contested.map(({ petId }) => petId));
    const kept = chosen.filter((item) => !contested.includes(item));
    if (kept.length > 0 || all.length === 0 || waited > LONGEST_WAIT_MILLISECONDS) {
      return kept;
    }
    await delay(POLL_MILLISECONDS * (1 + Math.random()));
  }
}

/**
 * Named pets first, then ids that integer types or doubles may not hold, the largest int64 before all, and else at
 * random, so that two runs rarely meet.
 */
function preference({ petId }: InventoryItem, existing: readonly bigint[]): number {
  const isNamed = existing.includes(petId) ? 4 : 0;
  const isAtEdge = petId > BigInt(Number.MAX_SAFE_INTEGER) || EDGE_PET_IDS.includes(petId) ? 2 : 0;
  const isLargest = petId === INT64_MAX ? 1 : 0;
  return isNamed + isAtEdge + isLargest + Math.random();
}
