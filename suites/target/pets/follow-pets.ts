import type { InventoryItem } from '../../../contract/inventory.ts';
import {
  isAccepted,
  itemInAnswer,
  readListing,
  type Exchange,
  type RequestMessage,
} from '../../oracle/index.ts';
import type { Timekeeper } from '../control/timekeeper.ts';
import { updateInventory } from '../http/operations.ts';
import { possibleQuantities, type Journal } from '../journal/index.ts';
import { followQuantities, isPlainQuantity, type Pet } from './pets.ts';
import { leftAsItStands, type PetLeft } from './restoring.ts';

/** A pet of the run, with what is known of how it stands. */
export interface FollowedPet extends Pet {
  item: InventoryItem;
  /** All that checks may have set it to so far, as they asked or as they were answered. */
  readonly own: Set<bigint>;
  /** How many updates that may have been carried out it was sent. */
  owed: number;
  /** Requests that may write to it and got no answer yet, or none at all. */
  underWay: number;
  /** When the last of them was answered, in milliseconds of the timekeeper. */
  answeredAt: number;
  /** What a list has shown since, or `null`. */
  shown: bigint | null;
  /** Whether there were some so far, and each was refused. */
  isRefused: boolean;
  /** Whether an answer to one showed another status than that of `item`. */
  hasChangedStatus: boolean;
}

export function followedPet(item: InventoryItem): FollowedPet {
  return {
    petId: item.petId,
    item,
    own: new Set(),
    owed: 0,
    underWay: 0,
    answeredAt: Number.NEGATIVE_INFINITY,
    shown: null,
    isRefused: false,
    hasChangedStatus: false,
  };
}

interface FollowingOptions {
  /** `null` if none of the pets is put back by itself, which needs no notes. */
  readonly journal: Pick<Journal, 'claim' | 'restored' | 'send' | 'sentTo'> | null;
  readonly time: Pick<Timekeeper, 'now'>;
}

const REFUSED = new Set([401, 403, 429]);

/**
 * Follows how pets stand, and which a run has to put back. One that a list shows at what this run cannot have set it to was
 * set by somebody else, if nothing that may write to it was under way: it is not put back to what it was before.
 */
export function followPets(pets: readonly FollowedPet[], { journal, time }: FollowingOptions) {
  const foreign = new Map<bigint, PetLeft>();
  const quantities = followQuantities();
  const notes = journal ?? { send: () => {}, restored: () => {} };
  const followed = (some: readonly Pet[]): readonly FollowedPet[] =>
    pets.filter(({ petId }) => some.some((pet) => pet.petId === petId));
  return {
    /** What somebody else has set, though the run had written to it. */
    foreign,
    quantities,
    /**
     * To be called before a request leaves that may write to these pets: those to which it sends another quantity than their own
     * are owed from then on, unless it is refused for its rate or key.
     * @returns what takes the answer; of a list it learns what somebody else set meanwhile, which is how a pet stands then
     * @throws {UnusableState} if it cannot be noted; then nothing may be sent
     */
    noteSent: (some: readonly Pet[], message: RequestMessage): ((answer: Exchange) => void) => {
      if (message.method === 'GET') {
        return journal === null || message.operation !== 'listInventory'
          ? () => undefined
          : (list) => noteList(list, pets, journal, foreign);
      }
      const sentTo = followed(some);
      const written = sentTo.filter(
        ({ petId, item }) => updateInventory(petId, item.quantity).body !== message.body,
      );
      for (const pet of sentTo) {
        pet.underWay += 1;
        pet.shown = null;
      }
      const possible = written.map((pet) => {
        const set = possibleQuantities(message.body, pet.item.quantity);
        set.forEach(([quantity]) => pet.own.add(quantity));
        return { petId: pet.petId, quantities: set };
      });
      notes.send(possible);
      written.forEach((pet) => (pet.owed += 1));
      return (answer) => {
        const { status } = answer.response;
        const item = itemInAnswer(answer);
        for (const pet of sentTo) {
          if (item?.petId === pet.petId) {
            pet.own.add(BigInt(item.quantity));
            pet.hasChangedStatus ||= item.status !== pet.item.status;
          }
          const isFirst = pet.answeredAt === Number.NEGATIVE_INFINITY;
          pet.isRefused = (isFirst || pet.isRefused) && status >= 400;
          pet.underWay -= 1;
          pet.answeredAt = time.now();
        }
        for (const pet of REFUSED.has(status) ? written : []) {
          pet.owed = Math.max(0, pet.owed - 1);
        }
        noteMisled(
          answer,
          pets.filter((pet) => !sentTo.includes(pet)),
          notes,
        );
        quantities.note(message, status);
      };
    },
    /** These pets are about to be set to any quantity between two. @throws {UnusableState} */
    noteRange: (range: readonly Pet[], from: number, to: number): void =>
      notes.send(range.map(({ petId }) => ({ petId, quantities: [[BigInt(from), BigInt(to)]] }))),
    /** Which of these were written to, and are to be put back. */
    owed: (some: readonly Pet[]): readonly FollowedPet[] =>
      followed(some).filter(({ petId, owed }) => owed > 0 && journal?.sentTo(petId).length !== 0),
    /** These pets are to be put back if they were written to. */
    restoreLater: (touched: readonly Pet[]): void => followed(touched).forEach((pet) => (pet.owed += 1)),
    /** These pets stand as they did. */
    noteRestored: (restored: readonly Pet[]): void => {
      followed(restored).forEach((pet) => (pet.owed = 0));
      // They stay claimed until the end, so that other runs stay off them between two checks, too.
      notes.restored(restored.map(({ petId }) => petId));
    },
  };
}

/** An answer names the pet that its update was carried out on, which may be another than the one that was to be updated. */
function noteMisled(answer: Exchange, others: readonly FollowedPet[], notes: Pick<Journal, 'send'>): void {
  const item = isAccepted(answer) ? itemInAnswer(answer) : undefined;
  const misled = others.find(({ petId }) => petId === item?.petId);
  if (item !== undefined && misled !== undefined) {
    const quantity = BigInt(item.quantity);
    misled.own.add(quantity);
    misled.owed += 1;
    notes.send([{ petId: item.petId, quantities: [[quantity, quantity]] }]);
  }
}

/** @param foreign takes what somebody else has set, though the run had written to it */
function noteList(
  list: Exchange,
  pets: readonly FollowedPet[],
  journal: NonNullable<FollowingOptions['journal']>,
  foreign: Map<bigint, PetLeft>,
): void {
  const items = isAccepted(list) ? readListing(list) : undefined;
  for (const pet of pets) {
    const { petId, item } = pet;
    const now = items?.get(petId);
    if (now !== undefined && pet.underWay === 0 && list.sentAt >= pet.answeredAt) {
      pet.shown = BigInt(now.quantity);
      if (isForeign(pet, now)) {
        if (journal.sentTo(petId).length > 0) {
          foreign.set(petId, leftAsItStands(item, now.quantity));
        }
        journal.restored([petId]);
        journal.claim([now]);
        pet.item = now;
        pet.owed = 0;
      }
    }
  }
}

/** What not every target takes back is not noted in the place of what it does. */
function isForeign({ item, own }: FollowedPet, now: InventoryItem): boolean {
  const quantity = BigInt(now.quantity);
  const isKnown = quantity === BigInt(item.quantity) || own.has(quantity);
  return !isKnown && (isPlainQuantity(now) || !isPlainQuantity(item));
}
