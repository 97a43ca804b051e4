import type { WriteOutcome } from '../answers/request-effect.ts';

/** A request that may set a pet while others do. Moments are numbers of events. */
interface OverlappingWrite {
  readonly id: number;
  /** What it asks for; `null` if that is open. */
  readonly quantity: number | null;
  /** Infinite while it is under way, or for ever if no answer came. */
  endedAt: number;
  isRefused: boolean;
}

/** The updates of one pet that are under way, and what overlaps with any of them. */
interface PetWrites {
  underWay: number;
  writes: OverlappingWrite[];
  /** How many writes it may hold before those that are over are forgotten. */
  bound: number;
}

const LEAST_BOUND = 128;

interface NewWrite {
  readonly id: number;
  readonly quantity: number | null;
  /** Whether it will surely change nothing. */
  readonly isIdle?: boolean;
}

function open({ id, quantity }: Omit<NewWrite, 'isIdle'>): OverlappingWrite {
  return { id, quantity, endedAt: Number.POSITIVE_INFINITY, isRefused: false };
}

/** Follows which requests may have set the same pet at the same time. */
export function followOverlaps() {
  const pets = new Map<bigint, PetWrites>();
  const underWay = new Map<number, OverlappingWrite>();
  const anyPet = new Map<number, OverlappingWrite>();
  return {
    /**
     * An update of a pet is sent.
     * @param oldest when the oldest request was sent that is under way
     * @param unanswered what may still be carried out of what was sent before
     */
    begin: (petId: bigint, write: NewWrite, oldest: number, unanswered: () => Iterable<NewWrite>): void => {
      let pet = pets.get(petId);
      if (pet === undefined) {
        const writes = [...anyPet.values(), ...[...unanswered()].map(open)];
        pet = { underWay: 0, writes, bound: LEAST_BOUND };
        pets.set(petId, pet);
      }
      if (pet.writes.length > pet.bound) {
        pet.writes = pet.writes.filter(({ endedAt }) => endedAt > oldest);
        pet.bound = Math.max(LEAST_BOUND, 2 * pet.writes.length);
      }
      pet.underWay += 1;
      if (write.isIdle !== true) {
        const opened = open(write);
        pet.writes.push(opened);
        underWay.set(write.id, opened);
      }
    },
    /** A request that may change any pet is sent. */
    beginAny: (id: number): void => {
      const opened = open({ id, quantity: null });
      anyPet.set(id, opened);
      underWay.set(id, opened);
      for (const { writes } of pets.values()) {
        writes.push(opened);
      }
    },
    /** That request is over. @param petId what it was to update, if it was one pet */
    end: (id: number, petId: bigint | null, outcome: WriteOutcome, now: number): void => {
      const write = underWay.get(id);
      underWay.delete(id);
      anyPet.delete(id);
      if (write !== undefined && (petId === null || outcome !== 'unknown')) {
        write.endedAt = now;
        write.isRefused = outcome === 'refused';
      }
      const pet = petId === null ? undefined : pets.get(petId);
      if (petId !== null && pet !== undefined) {
        pet.underWay -= 1;
        if (pet.underWay === 0) {
          pets.delete(petId);
        }
      }
    },
    /**
     * What others may have set that pet to since a moment; `null` for anything.
     * @returns tells it by what is known whenever it is called
     */
    quantitiesOf: (petId: bigint, id: number, since: number): (() => readonly (number | null)[]) => {
      const writes = pets.get(petId)?.writes ?? [];
      const others = writes.filter((other) => other.id !== id && other.endedAt > since);
      return () => others.filter(({ isRefused }) => !isRefused).map(({ quantity }) => quantity);
    },
  };
}
