import type { InventoryItem } from '../../../contract/inventory.ts';
import type { Deviation } from './deviation.ts';
import { forget, isClaimed, type KnownStore } from './known-store.ts';
import type { KnownEntry } from './possible-entries.ts';
import type { WriteRecord } from './write-record.ts';

// Smaller ones somebody else may well have set by chance.
const SMALLEST_TELLING = 100;

/**
 * What the list shows of a pet that somebody else may write to: it tells something if it is what an update of another pet,
 * or a refused one, asked for just now.
 */
export function deviationOfOthers(
  seen: InventoryItem,
  known: KnownEntry | undefined,
  records: readonly WriteRecord[],
): Deviation | undefined {
  const { petId } = seen;
  const quantity = Number(seen.quantity);
  const isAsked =
    known !== undefined &&
    Number(known.quantity) !== quantity &&
    quantity >= SMALLEST_TELLING &&
    records.some((record) => record.quantity === quantity && !(record.isAccepted && record.petId === petId));
  return isAsked
    ? {
        petId,
        seen,
        expected: `${known.quantity} ${known.status}`,
        isStatusOnly: false,
        isUpdated: false,
        isEarlier: false,
      }
    : undefined;
}

/**
 * The deviations that the target has to answer for, if only some pets are claimed. What is seen for the first time may be
 * one write of somebody else. A change that nothing explains, since nothing was sent, shows that somebody else does write
 * to what was claimed: then the claim is dropped.
 */
export function answerableOf(
  store: KnownStore,
  deviations: readonly Deviation[],
  records: readonly WriteRecord[],
  now: number,
): readonly Deviation[] {
  if (store.claimed === null) {
    return deviations;
  }
  const changes = deviations.filter(({ seen, expected }) => seen !== undefined && expected !== undefined);
  if (records.length === 0 && changes.some(({ petId, isEarlier }) => isClaimed(store, petId) && !isEarlier)) {
    forget(store, false, now);
    return [];
  }
  const { changed, returned } = store;
  store.changed += changes.length > 0 ? 1 : 0;
  return deviations.filter(({ seen, expected }) =>
    // Whoever removes a pet does not put it back, so that one which returns was there all the time.
    seen === undefined ? returned > 0 : expected === undefined || changed > 0,
  );
}
