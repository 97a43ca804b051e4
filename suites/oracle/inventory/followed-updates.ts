import type { Deviation } from './deviation.ts';
import type { ReadSpan } from './possible-entries.ts';
import type { WriteRecord } from './write-record.ts';

// With a dozen quantities to choose from, others hit each of so many once in some hundred thousand runs.
const ENOUGH_QUANTITIES = 6;

/**
 * Follows which pets take, list after list, the very quantity that another one was set to: a small quantity others may have
 * set by chance, but not each time another one.
 */
export function followUpdatesElsewhere() {
  /** By the id of a pet, those that took its quantities without a miss, each with what it took. */
  const taken = new Map<bigint | null, Map<bigint, Set<number>>>();
  return {
    /**
     * @param changes what a list shows of pets that others may write to
     * @param standsAt the quantity that a pet has in that list
     */
    note: (
      records: readonly WriteRecord[],
      changes: readonly Deviation[],
      { sentAt }: ReadSpan,
      standsAt: (petId: bigint) => number | undefined,
    ): void => {
      const last = new Map(records.filter(({ isAccepted }) => isAccepted).map((one) => [one.petId, one]));
      for (const { petId: source, quantity, answeredAt } of last.values()) {
        const followers = taken.get(source) ?? new Map<bigint, Set<number>>();
        taken.set(source, followers);
        const hits = changes.filter(({ seen }) => quantity !== null && Number(seen?.quantity) === quantity);
        for (const { petId } of hits) {
          followers.set(petId, (followers.get(petId) ?? new Set()).add(Number(quantity)));
        }
        for (const petId of answeredAt < sentAt ? followers.keys() : []) {
          if (standsAt(petId) !== quantity) {
            followers.delete(petId);
          }
        }
      }
    },
    /** Whether it took so many quantities of another one that this is no chance. */
    isFollowing: (petId: bigint): boolean =>
      taken.values().some((followers) => (followers.get(petId)?.size ?? 0) >= ENOUGH_QUANTITIES),
  };
}
