import type { InventoryItem } from '../../../contract/inventory.ts';
import { isAccepted, itemInAnswer, readListing, type Exchange } from '../../oracle/index.ts';
import { isPlainQuantity, type Pet } from './pets.ts';
import type { RestoringOptions } from './restoring.ts';

/** A pet of the run, with what is known of how it stands. */
export interface FollowedPet extends Pet {
  item: InventoryItem;
  /** All that checks may have set it to so far, as they asked or as they were answered. */
  readonly own: Set<bigint>;
  /** Requests that may write to it and got no answer yet, or none at all. */
  underWay: number;
  /** When the last of them was answered, in milliseconds of the timekeeper. */
  answeredAt: number;
  /** What a list has shown since, or `null`. */
  shown: bigint | null;
  /** Whether there were some so far, and each was refused. */
  isRefused: boolean;
}

export function followedPet(item: InventoryItem): FollowedPet {
  return {
    petId: item.petId,
    item,
    own: new Set(),
    underWay: 0,
    answeredAt: Number.NEGATIVE_INFINITY,
    shown: null,
    isRefused: false,
  };
}

/**
 * Follows how pets stand. One that a list shows at what this run cannot have set it to was set by somebody else, if nothing
 * that may write to it was under way: it is not put back to what it was before.
 * @param onForeign is told of such a pet, and of how it stands, before it is noted so
 */
export function followPets(
  pets: readonly FollowedPet[],
  { client: { time } }: Pick<RestoringOptions, 'client'>,
  onForeign: (pet: FollowedPet, now: InventoryItem) => void,
) {
  const followed = (some: readonly Pet[]): readonly FollowedPet[] =>
    pets.filter(({ petId }) => some.some((pet) => pet.petId === petId));
  return {
    noteSent: (some: readonly Pet[]): void => {
      for (const pet of followed(some)) {
        pet.underWay += 1;
        pet.shown = null;
      }
    },
    noteAnswered: (some: readonly Pet[], answer: Exchange): void => {
      const item = itemInAnswer(answer);
      for (const pet of followed(some)) {
        if (item?.petId === pet.petId) {
          pet.own.add(BigInt(item.quantity));
        }
        pet.underWay -= 1;
        const isFirst = pet.answeredAt === Number.NEGATIVE_INFINITY;
        pet.isRefused = (isFirst || pet.isRefused) && answer.response.status >= 400;
        pet.answeredAt = time.now();
      }
    },
    noteList: (list: Exchange): void => {
      const items = isAccepted(list) ? readListing(list) : undefined;
      for (const pet of items === undefined ? [] : pets) {
        const now = items?.get(pet.petId);
        if (now !== undefined && pet.underWay === 0 && list.sentAt >= pet.answeredAt) {
          pet.shown = BigInt(now.quantity);
          if (isForeign(pet, now)) {
            onForeign(pet, now);
            pet.item = now;
          }
        }
      }
    },
  };
}

/** What not every target takes back is not noted in the place of what it does. */
function isForeign({ item, own }: FollowedPet, now: InventoryItem): boolean {
  const quantity = BigInt(now.quantity);
  const isKnown = quantity === BigInt(item.quantity) || own.has(quantity);
  return !isKnown && (isPlainQuantity(now) || !isPlainQuantity(item));
}
