import type { InventoryItem } from '../../contract/inventory.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { Fault } from './fault.ts';
import { LARGEST_SAFE } from './integer-ranges.ts';
import { changeStore } from '../alterations/inventory-changes.ts';

const COMPARED_DIGITS = 16;

/** Reads another petId than the one that stands in the path. */
function readOtherwise(change: (petId: bigint) => bigint | undefined): Alteration {
  return {
    parts: ({ readPetId }) => ({
      readPetId: (segment) => {
        const petId = readPetId(segment);
        return petId === undefined ? undefined : change(petId);
      },
    }),
  };
}

/** Finds the first entry that seems to be the one that is asked for. */
function findLoosely(isSame: (item: InventoryItem, petId: bigint) => boolean): Alteration {
  return changeStore((store) => ({ find: (petId) => store.list().find((item) => isSame(item, petId)) }));
}

function beginningOf(petId: bigint): string {
  return `${petId}`.slice(0, COMPARED_DIGITS);
}

export const UPDATE_ROUTING_FAULTS: readonly Fault[] = [
  {
    id: 'path-pet-id-as-double',
    title: 'The petId in the path loses digits above 2^53',
    breaks: 'update-exact-pet',
    alter: readOtherwise((petId) => BigInt(Number(petId))),
  },
  {
    id: 'path-pet-id-in-32-bits',
    title: 'The petId in the path is cut to 32 bits',
    breaks: 'update-exact-pet',
    alter: readOtherwise((petId) => BigInt.asIntN(32, petId)),
  },
  {
    id: 'pets-compared-as-doubles',
    title: 'Pets are told apart by their petIds as doubles',
    breaks: 'update-exact-pet',
    alter: findLoosely((item, petId) => Number(item.petId) === Number(petId)),
  },
  {
    id: 'pets-compared-by-16-digits',
    title: 'Pets are told apart by the first 16 digits of their petIds',
    breaks: 'update-exact-pet',
    alter: findLoosely((item, petId) => beginningOf(item.petId) === beginningOf(petId)),
  },
  {
    id: 'update-written-to-equal-double',
    title:
      'An update is stored for the first pet whose petId is the same double, and answered for the right one',
    breaks: 'update-exact-pet',
    alter: changeStore((store) => ({
      setQuantity: (petId, quantity) => {
        const hit = store.list().find((item) => Number(item.petId) === Number(petId));
        const written = hit === undefined ? undefined : store.setQuantity(hit.petId, quantity);
        return written === undefined ? undefined : { ...written, petId };
      },
    })),
  },
  {
    id: 'update-written-to-equal-32-bits',
    title:
      'An update is stored for the last pet whose petId has the same 32 bits, and answered for the right one',
    breaks: 'update-exact-pet',
    alter: changeStore((store) => ({
      setQuantity: (petId, quantity) => {
        const hit = store
          .list()
          .findLast((item) => BigInt.asIntN(32, item.petId) === BigInt.asIntN(32, petId));
        const written = hit === undefined ? undefined : store.setQuantity(hit.petId, quantity);
        return written === undefined ? undefined : { ...written, petId };
      },
    })),
  },
  {
    id: 'unknown-pet-as-position',
    title: 'An unknown petId is taken for a position in the list',
    breaks: 'update-unknown-pet',
    alter: changeStore((store) => {
      const find = (petId: bigint): InventoryItem | undefined => {
        const isPosition = petId >= 0n && petId < store.list().length;
        return store.find(petId) ?? (isPosition ? store.list()[Number(petId)] : undefined);
      };
      return { find };
    }),
  },
  {
    id: 'large-pet-unknown-to-updates',
    title: 'A pet above 2^53 is listed, and an update of it is answered 404',
    breaks: 'update-exact-pet',
    alter: readOtherwise((petId) => (petId > LARGEST_SAFE ? undefined : petId)),
  },
];
