import type { InventoryItem } from '../../contract/inventory.ts';
import { asInteger, INT64_MAX, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { LARGEST_SAFE, changeStore, neighbourOf } from '../alterations/inventory.ts';
import { bytesOf, rereadable } from '../alterations/requests.ts';
import { changeUnknownPetAnswers } from '../alterations/updates.ts';
import { breaking } from './fault.ts';
import { type Answer, answerWith } from '../service/answer.ts';
import type { ServiceParts } from '../service/service.ts';
import { decodeJson } from '../service/inventory-update.ts';

const COMPARED_DIGITS = 16;

type PetIdReader = ServiceParts['readPetId'];

/** Reads the petId in the path in another way. */
function readBy(change: (segment: string, read: PetIdReader) => bigint | undefined): Alteration {
  return { parts: ({ readPetId }) => ({ readPetId: (segment) => change(segment, readPetId) }) };
}

/** Reads another petId than the one that stands in the path; `undefined` finds none. */
function readOtherwise(change: (petId: bigint) => bigint | undefined): Alteration {
  return readBy((segment, read) => {
    const petId = read(segment);
    return petId === undefined ? undefined : change(petId);
  });
}

/** Takes an integer beyond int64 for one within. */
function readBeyondInt64(read: (petId: bigint) => bigint): Alteration {
  return readBy(
    (segment, readPetId) =>
      readPetId(segment) ?? (/^-?[1-9]\d*$/.test(segment) ? read(BigInt(segment)) : undefined),
  );
}

/** Finds the first entry that seems to be the one that is asked for. */
function findLoosely(isSame: (item: InventoryItem, petId: bigint) => boolean): Alteration {
  return changeStore((store) => ({ find: (petId) => store.list().find((item) => isSame(item, petId)) }));
}

function beginningOf(petId: bigint): string {
  return `${petId}`.slice(0, COMPARED_DIGITS);
}

export const UPDATE_EXACT_PET_FAULTS = breaking('update-exact-pet', {
  'path-pet-id-modulo-64-bits': [
    'A petId beyond int64 is cut to 64 bits',
    readBeyondInt64((petId) => BigInt.asIntN(64, petId)),
    { excludes: ['odd pet ids', 'unknown routes'] },
  ],
  'path-pet-id-clamped': [
    'A petId beyond int64 stands for the nearest one',
    readBeyondInt64((petId) => (petId > 0n ? INT64_MAX : -INT64_MAX - 1n)),
    { excludes: ['odd pet ids', 'unknown routes'] },
  ],
  'pet-id-in-body-wins': [
    'An update whose body names another pet is made to that one',
    {
      answers: ({ updateInventory }) => ({
        updateInventory: async (request, segment) => {
          const again = rereadable(request);
          const body = decodeJson(await bytesOf(again));
          const petId = isJsonObject(body) ? asInteger(body['petId']) : undefined;
          return updateInventory(again, petId === undefined ? segment : `${petId}`);
        },
      }),
    },
  ],
  'largest-pet-id-not-found': [
    'An update of the listed pet 9223372036854775807 is answered 404',
    readOtherwise((petId) => (petId === INT64_MAX ? undefined : petId)),
  ],
  'pet-2-to-the-31-not-found': [
    'An update of the listed pet 2147483648 is answered 404',
    readOtherwise((petId) => (petId === 2n ** 31n ? undefined : petId)),
  ],
  'pet-1-not-found': [
    'An update of the listed pet 1 is answered 404',
    readOtherwise((petId) => (petId === 1n ? undefined : petId)),
  ],
  'pet-id-sign-ignored': [
    'An update of pet -1 changes pet 1',
    readBy((segment, read) => read(segment.replace(/^-/, ''))),
  ],
  'unknown-pet-not-positive-accepted': [
    'An update of an unknown pet whose petId is zero or below is answered 200',
    changeUnknownPetAnswers((answer, petId, { representation }) =>
      petId > 0n ? answer : answerWith(200, representation.item({ petId, quantity: 0, status: 'available' })),
    ),
  ],
  'update-answered-with-neighbour': [
    'The answer to an update shows the next pet',
    changeStore((store) => ({
      setQuantity: (petId, quantity) => {
        const updated = store.setQuantity(petId, quantity);
        return neighbourOf(store.list(), petId) ?? updated;
      },
    })),
  ],
  'path-pet-id-as-double': [
    'The petId in the path loses digits above 2^53',
    readOtherwise((petId) => BigInt(Number(petId))),
  ],
  'path-pet-id-in-32-bits': [
    'The petId in the path is cut to 32 bits',
    readOtherwise((petId) => BigInt.asIntN(32, petId)),
  ],
  'leading-zero-makes-octal': [
    'A petId that begins with a zero is read as octal',
    readBy((segment, read) => read(/^0[0-7]+$/.test(segment) ? `${BigInt(`0o${segment}`)}` : segment)),
    { excludes: ['odd pet ids'] },
  ],
  'pets-compared-as-doubles': [
    'petIds are compared as doubles',
    findLoosely((item, petId) => Number(item.petId) === Number(petId)),
  ],
  'pets-compared-by-16-digits': [
    'petIds are compared by their first 16 digits',
    findLoosely((item, petId) => beginningOf(item.petId) === beginningOf(petId)),
  ],
  'update-written-to-equal-double': [
    'An update is stored for the first pet whose petId is the same double, and answered for the right one',
    changeStore((store) => ({
      setQuantity: (petId, quantity) => {
        const hit = store.list().find((item) => Number(item.petId) === Number(petId));
        const written = hit === undefined ? undefined : store.setQuantity(hit.petId, quantity);
        return written === undefined ? undefined : { ...written, petId };
      },
    })),
  ],
  'update-written-to-equal-32-bits': [
    'An update is stored for the last pet whose petId has the same 32 bits, and answered for the right one',
    changeStore((store) => ({
      setQuantity: (petId, quantity) => {
        const hit = store
          .list()
          .findLast((item) => BigInt.asIntN(32, item.petId) === BigInt.asIntN(32, petId));
        const written = hit === undefined ? undefined : store.setQuantity(hit.petId, quantity);
        return written === undefined ? undefined : { ...written, petId };
      },
    })),
  ],
  'unknown-pet-stays-unknown': [
    'A pet that an update was answered 404 for stays unknown to updates when it comes into the inventory',
    {
      answers: ({ updateInventory }) => {
        const refused = new Map<string, Answer>();
        return {
          updateInventory: async (request, segment) => {
            const answer = refused.get(segment) ?? (await updateInventory(request, segment));
            if (answer.status === 404) {
              refused.set(segment, answer);
            }
            return answer;
          },
        };
      },
    },
  ],
  'large-pet-unknown-to-updates': [
    'A pet above 2^53 is listed, but an update of it is answered 404',
    readOtherwise((petId) => (petId > LARGEST_SAFE ? undefined : petId)),
  ],
});
