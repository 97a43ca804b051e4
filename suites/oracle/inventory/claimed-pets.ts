import type { Deviation } from './deviation.ts';
import { isClaimed, type KnownStore } from './known-store.ts';
import type { WriteRecord } from './write-record.ts';

/** A list, and what came before it. */
export interface ListMoment {
  /** The updates that were answered since the list before. */
  readonly records: readonly WriteRecord[];
  /** When it came, and when the list before was asked for, in milliseconds of the timekeeper. */
  readonly at: number;
  readonly before: number;
}

// In a longer time between two lists somebody else may well have written something.
const SHORT_MILLISECONDS = 2_000;
// What somebody else writes comes in bouts: only two sightings so far apart are two.
const APART_MILLISECONDS = 5_000;
// Smaller quantities somebody else may well have set by chance.
const SMALLEST_TELLING = 100;
/** How many lists it takes that changed while nothing was sent: an update that is carried out late changes one. */
export const ENOUGH_FOREIGN_WRITES = 2;

/** What is left of a list's deviations. */
interface Sifted {
  readonly answerable: readonly Deviation[];
  /** What changed while nothing was sent, in words; `null` if nothing did. */
  readonly foreign: string | null;
}

/**
 * The deviations that the target has to answer for. If only some pets are claimed, somebody else may write to the others,
 * and what is seen once of a claimed one may be a single write of somebody else.
 */
export function siftDeviations(
  store: KnownStore,
  deviations: readonly Deviation[],
  moment: ListMoment,
): Sifted {
  if (store.claimed === null) {
    return { answerable: deviations, foreign: null };
  }
  const changes = deviations.filter(({ seen, expected }) => seen !== undefined && expected !== undefined);
  const isIdle = moment.records.length === 0 && store.pending.size === 0;
  const foreign = isIdle ? changes.find(({ isEarlier }) => !isEarlier) : undefined;
  store.foreign += foreign === undefined ? 0 : 1;
  const isTold = !isIdle && isSecondSighting(store, changes, moment);
  return {
    answerable: deviations.filter((deviation) => {
      const { seen, expected } = deviation;
      // Whoever removes a pet does not put it back, so that one which returns was there all the time.
      return seen === undefined
        ? store.returned > 0
        : expected === undefined || (isTold && isTelling(store, deviation, moment));
    }),
    foreign:
      foreign === undefined
        ? null
        : `pet ${foreign.petId} went from ${foreign.expected} to ${foreign.seen?.quantity}`,
  };
}

function isSecondSighting(store: KnownStore, changes: readonly Deviation[], moment: ListMoment): boolean {
  const { at, before } = moment;
  const isSighted =
    at - before <= SHORT_MILLISECONDS && changes.some((change) => isTelling(store, change, moment));
  if (!isSighted || store.foreign >= ENOUGH_FOREIGN_WRITES) {
    return false;
  }
  store.firstChange ??= at;
  return at - store.firstChange >= APART_MILLISECONDS;
}

/** A pet that others may write to tells something if it stands at what an update of another pet, or a refused one, asked for. */
function isTelling(
  store: KnownStore,
  { petId, seen, isStatusOnly }: Deviation,
  { records }: ListMoment,
): boolean {
  const quantity = Number(seen?.quantity);
  return (
    isClaimed(store, petId) ||
    (!isStatusOnly &&
      quantity >= SMALLEST_TELLING &&
      records.some(
        (record) => record.quantity === quantity && !(record.isAccepted && record.petId === petId),
      ))
  );
}
