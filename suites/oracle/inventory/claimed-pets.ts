import type { Deviation } from './deviation.ts';
import { NOTHING_STRANGE, type StrangeChanges } from '../history-monitor.ts';
import { isClaimed, type KnownStore } from './known-store.ts';
import type { ReadSpan } from './possible-entries.ts';
import { isSum, type WriteRecord } from './write-record.ts';

/** A list, and what came before it. */
export interface ListMoment {
  /** The updates that were answered since the list before. */
  readonly records: readonly WriteRecord[];
  readonly span: ReadSpan;
  /** When it came, and when the list before was asked for, in milliseconds of the timekeeper. */
  readonly at: number;
  readonly before: number;
  /** Milliseconds that its answer took. */
  readonly took: number;
}

// In a longer time between two lists somebody else may well have written something.
const SHORT_MILLISECONDS = 2_000;
// What a slow target takes for a list, a few updates, and the next list.
const SHORT_ROUND_TRIPS = 6;
// What somebody else writes comes in bouts: only two sightings so far apart are two.
const APART_MILLISECONDS = 5_000;
// A bout that changes something between every two lists in a row is no chance.
const ENOUGH_IN_A_ROW = 3;
// No operation removes a pet, so that hardly anybody else does so twice just then.
const ENOUGH_VANISHINGS = 2;
// Smaller quantities somebody else may well have set by chance, but not again and again.
const SMALLEST_TELLING = 100;
/** How many lists it takes that changed while nothing was sent: an update that is carried out late changes one. */
export const ENOUGH_FOREIGN_WRITES = 2;

/**
 * The deviations that the target has to answer for. If only some pets are claimed, somebody else may write to the others,
 * and what is seen once of a claimed one may be a single write of somebody else. Whether anybody writes at all is found out
 * once the run has accused the target.
 * @returns what is left, and what is strange
 */
export function siftDeviations(
  store: KnownStore,
  deviations: readonly Deviation[],
  moment: ListMoment,
): { readonly answerable: readonly Deviation[]; readonly strange: StrangeChanges } {
  if (store.claimed === null) {
    return { answerable: deviations, strange: NOTHING_STRANGE };
  }
  const { records, span, at, before, took } = moment;
  const changes = deviations.filter(({ expected }) => expected !== undefined);
  const isIdle = records.length === 0 && store.pending.size === 0;
  const foreign = isIdle ? changes.find(({ seen, wasOwn }) => seen !== undefined && !wasOwn) : undefined;
  store.foreign += foreign === undefined ? 0 : 1;
  const short = Math.max(SHORT_MILLISECONDS, SHORT_ROUND_TRIPS * took);
  const isOpen = at - before > short || store.foreign >= ENOUGH_FOREIGN_WRITES;
  if (!isOpen) {
    const others = changes.filter(({ petId, isStatusOnly }) => !isStatusOnly && !isClaimed(store, petId));
    store.followed.note(records, others, span, (petId) => Number(store.entries?.get(petId)?.quantity));
  }
  const telling = isOpen ? [] : changes.filter((change) => isTelling(store, change, records));
  if (!isIdle) {
    noteSightings(store, telling, moment);
  }
  const isTold = !isIdle && (isSeenOften(store, at) || isOfWrittenPetsOnly(store, changes, records));
  const told = new Set(
    telling.filter(
      (one) => isTold || speaksForItself(store, one, records) || store.followed.isFollowing(one.petId),
    ),
  );
  return {
    answerable: deviations.filter((deviation) => {
      const { seen, expected } = deviation;
      // Nobody puts a pet back that was removed, so that one which returns was there all the time.
      const isBack = seen === undefined && store.returned > 0;
      return expected === undefined || isBack || told.has(deviation);
    }),
    strange: {
      idle:
        foreign === undefined
          ? []
          : [`pet ${foreign.petId} went from ${foreign.expected} to ${foreign.seen?.quantity}`],
      unexplained: changes.filter((change) => !isExplained(change, records)).length,
    },
  };
}

function noteSightings(store: KnownStore, telling: readonly Deviation[], { records, at }: ListMoment): void {
  if (telling.length > 0) {
    store.changesInARow += 1;
    store.firstChange ??= at;
  } else if (records.some(({ isAccepted }) => isAccepted)) {
    store.changesInARow = 0;
  }
  store.vanishings += telling.some(({ seen }) => seen === undefined) ? 1 : 0;
}

/** Whether changes were seen list after list, or again so much later that they are no bout of somebody else. */
function isSeenOften({ changesInARow, firstChange, vanishings }: KnownStore, at: number): boolean {
  return (
    vanishings >= ENOUGH_VANISHINGS ||
    changesInARow >= ENOUGH_IN_A_ROW ||
    (firstChange !== null && at - firstChange >= APART_MILLISECONDS)
  );
}

/** Somebody else who writes would hardly choose those of all pets that were just asked for. */
function isOfWrittenPetsOnly(
  store: KnownStore,
  changes: readonly Deviation[],
  records: readonly WriteRecord[],
): boolean {
  return changes.every(
    ({ petId }) => isClaimed(store, petId) && records.some((record) => record.petId === petId),
  );
}

/** Nobody but the target removes a pet, changes a status, or gets hold of the quantities that this run alone knows. */
function isExplained(
  { petId, seen, isEarlier, isStatusOnly }: Deviation,
  records: readonly WriteRecord[],
): boolean {
  const quantity = Number(seen?.quantity);
  return (
    seen === undefined ||
    isEarlier ||
    isStatusOnly ||
    records.some((record) => isSum(record, quantity)) ||
    isAskedElsewhere(records, petId, quantity)
  );
}

/** A claimed pet stands at what it stood at before an update, or at what was asked for in vain, or of another pet. */
function speaksForItself(
  store: KnownStore,
  { petId, seen, isEarlier, isStatusOnly }: Deviation,
  records: readonly WriteRecord[],
): boolean {
  const quantity = Number(seen?.quantity);
  return (
    isClaimed(store, petId) &&
    !isStatusOnly &&
    (isEarlier ||
      records.some((record) => isOwn(record, petId) && isSum(record, quantity)) ||
      isAskedElsewhere(records, petId, quantity))
  );
}

/** A pet that others may write to tells something if it stands at what an update of another pet, or a refused one, asked for. */
function isTelling(
  store: KnownStore,
  { petId, seen, isStatusOnly }: Deviation,
  records: readonly WriteRecord[],
): boolean {
  const quantity = Number(seen?.quantity);
  return (
    isClaimed(store, petId) ||
    (!isStatusOnly &&
      (quantity >= SMALLEST_TELLING || store.followed.isFollowing(petId)) &&
      isAskedElsewhere(records, petId, quantity))
  );
}

/** Whether an update of another pet, or a refused one, asked for that quantity. */
function isAskedElsewhere(records: readonly WriteRecord[], petId: bigint, quantity: number): boolean {
  return records.some((record) => record.quantity === quantity && !isOwn(record, petId));
}

function isOwn(record: WriteRecord, petId: bigint): boolean {
  return record.isAccepted && record.petId === petId;
}
