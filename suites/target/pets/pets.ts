import type { InventoryItem } from '../../../contract/inventory.ts';
import { quantityAskedFor, readRequest, type RequestMessage } from '../../oracle/index.ts';
import type { Timekeeper } from '../control/timekeeper.ts';

/** A pet that one check may write to; `item` is how it stood when the run began, or as somebody else has set it since. */
export interface Pet {
  readonly petId: bigint;
  readonly item: InventoryItem;
}

// Some refuse to set a stock below zero, or one beyond 32 bits (specification, "Resources and their fields": bounds not shown).
const LARGEST_ORDINARY = 2_147_483_647;

/** Whether any target sets a pet to the quantity at which it stands. */
export function isPlainQuantity({ quantity }: InventoryItem): boolean {
  return quantity >= 0 && quantity <= LARGEST_ORDINARY;
}

/**
 * A quantity for an update that has to be refused: another than the pet's own, and within any bound that a stock may
 * have, so that nothing else is wrong with it.
 */
export function distinctQuantity({ item }: Pet): number {
  // No quantity from 10 to 98 leads to itself.
  return 10 + ((Math.abs(Number(item.quantity)) + 41) % 89);
}

/** The quantities to which a run sets pets. Bounds are not shown: once one of three digits is refused, smaller ones are asked for. */
export function followQuantities() {
  let least = 100;
  let greatest = 999;
  return {
    /** Takes the status with which a request was answered. */
    note: (request: RequestMessage, status: number): void => {
      const asked = quantityAskedFor(readRequest(request));
      if (status === 400 && asked !== null && asked >= least && asked <= greatest) {
        least = 41;
        greatest = 99;
      }
    },
    /** Whether the target may accept it, as far as is known. */
    isWithinBound: (quantity: number): boolean => quantity <= greatest,
    /** One that nobody else is likely to set. */
    unusual: (): number => least + Math.floor(Math.random() * (greatest + 1 - least)),
  };
}

/** Hands out pets so that no two checks write to the same one. */
export interface PetLeases {
  /**
   * Up to `count` pets, at least `fewest` (one by default) unless there are fewer at all; waits if so few are not free.
   * @param shares whether in real time, rather than take the last, it has one that others have who share
   */
  lease(count: number, fewest?: number, shares?: boolean): Promise<readonly Pet[]>;
  /** Whether several have it now. */
  isShared(pet: Pet): boolean;
  release(pets: readonly Pet[]): void;
  readonly total: number;
}

/** @param pets in the order in which they are preferred */
export function leasePets(pets: readonly Pet[], time: Timekeeper): PetLeases {
  const free = [...pets];
  /** How many have each of those that are shared. */
  const sharers = new Map<Pet, number>();
  const waiting: {
    readonly count: number;
    readonly least: number;
    readonly grant: (pets: readonly Pet[]) => void;
  }[] = [];
  const take = (count: number): readonly Pet[] => free.splice(0, count);
  const share = (shared: readonly Pet[]): readonly Pet[] => {
    shared.forEach((pet) => sharers.set(pet, (sharers.get(pet) ?? 0) + 1));
    return shared;
  };
  return {
    total: pets.length,
    isShared: (pet) => (sharers.get(pet) ?? 0) > 1,
    lease: async (count, fewest = 1, shares = false) => {
      const mayShare = shares && !time.virtual;
      const [[leastShared] = []] = [...sharers].toSorted(([, one], [, other]) => one - other);
      if (mayShare && leastShared !== undefined && free.length < 2) {
        return share([leastShared]);
      }
      const least = Math.min(fewest, pets.length);
      if (free.length >= least && waiting.length === 0) {
        return mayShare ? share(take(count)) : take(count);
      }
      let granted: readonly Pet[] = [];
      const { parked, resume } = time.park();
      waiting.push({
        count,
        least,
        grant: (taken) => {
          granted = taken;
          resume();
        },
      });
      await parked;
      return mayShare ? share(granted) : granted;
    },
    release: (returned) => {
      for (const pet of returned) {
        const others = (sharers.get(pet) ?? 1) - 1;
        if (others > 0) {
          sharers.set(pet, others);
        } else {
          sharers.delete(pet);
          free.push(pet);
        }
      }
      for (let [next] = waiting; next !== undefined && free.length >= next.least; [next] = waiting) {
        waiting.shift();
        next.grant(take(next.count));
      }
    },
  };
}
