import type { Deviation } from './deviation.ts';
import type { ReadSpan } from './possible-entries.ts';
import type { WriteRecord } from './write-record.ts';

// With a dozen quantities to choose from, others hit each of so many once in some hundred thousand runs.
const ENOUGH_QUANTITIES = 6;

export type FollowedUpdates = ReturnType<typeof followUpdatesElsewhere>;

/**
 * Follows which pets take, list after list, the very quantity that another one was set to: a small quantity others may have
 * set by chance, but not each time another one.
 */
export function followUpdatesElsewhere() {
  /** The quantities that a pet took of another one, without a miss, by the ids of both. */
  const taken = new Map<string, { readonly petId: bigint; readonly quantities: Set<number> }>();
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
        const hits = changes.filter(({ seen }) => quantity !== null && Number(seen?.quantity) === quantity);
        for (const { petId } of hits) {
          const name = `${source} ${petId}`;
          const quantities = taken.get(name)?.quantities ?? new Set();
          taken.set(name, { petId, quantities: quantities.add(Number(quantity)) });
        }
        for (const [name, { petId }] of answeredAt < sentAt ? taken : []) {
          if (name === `${source} ${petId}` && standsAt(petId) !== quantity) {
            taken.delete(name);
          }
        }
      }
    },
    /** Whether it took so many quantities of another one that this is no chance. */
    isFollowing: (petId: bigint): boolean =>
      taken.values().some((one) => one.petId === petId && one.quantities.size >= ENOUGH_QUANTITIES),
  };
}
