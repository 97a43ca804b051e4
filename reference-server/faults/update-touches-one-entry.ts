import type { InventoryItem } from '../../contract/inventory.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { changeEntriesAfterUpdate, neighbourOf } from '../alterations/inventory.ts';
import { everyNth, keyOf } from '../alterations/requests.ts';
import { breaking } from './fault.ts';
import { answerWith } from '../service/answer.ts';
import type { ServiceRequest } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';

const isTenth = everyNth(10);

const NEXT_STATUS = { available: 'pending', pending: 'sold', sold: 'available' } as const;

/** Changes the entry after the one that was updated. */
function changeNeighbour(change: (neighbour: InventoryItem) => readonly InventoryItem[]): Alteration {
  return changeEntriesAfterUpdate((items, petId) => {
    const neighbour = neighbourOf(items, petId);
    return items.flatMap((item) => (item === neighbour ? change(item) : [item]));
  });
}

/**
 * Leaves the last entry that was not updated out of lists, once there was an update.
 * @param whoseOf whose lists lack it; the same value for the update and for the lists
 */
function hideAfterUpdate(
  whoseOf: (request: ServiceRequest, parts: ServiceParts) => object | undefined,
): Alteration {
  return {
    answers: (answers, parts) => {
      const updated = new WeakMap<object, Set<bigint>>();
      return {
        updateInventory: async (request, segment) => {
          const answer = await answers.updateInventory(request, segment);
          const whose = whoseOf(request, parts);
          const petId = parts.readPetId(segment);
          if (answer.status === 200 && whose !== undefined && petId !== undefined) {
            updated.set(whose, new Set([...(updated.get(whose) ?? []), petId]));
          }
          return answer;
        },
        listInventory: (request, segment) => {
          const own = updated.get(whoseOf(request, parts) ?? {});
          const items = parts.inventory.list();
          const hidden = own === undefined ? undefined : items.findLast(({ petId }) => !own.has(petId));
          return hidden === undefined
            ? answers.listInventory(request, segment)
            : answerWith(200, parts.representation.inventory(items.filter((item) => item !== hidden)));
        },
      };
    },
  };
}

export const UPDATE_TOUCHES_ONE_ENTRY_FAULTS = breaking('update-touches-one-entry', {
  'update-changes-status-of-neighbour': {
    title: 'An update changes the status of the next pet',
    alter: changeNeighbour((item) => [{ ...item, status: NEXT_STATUS[item.status] }]),
  },
  'update-removes-neighbour': {
    title: 'An update removes the next pet',
    alter: changeNeighbour(() => []),
  },
  'list-lacks-entry-after-own-update': {
    title: 'Once a key has updated a pet, its lists lack the last other entry',
    alter: hideAfterUpdate((request, parts) => keyOf(parts, request)),
  },
  'list-lacks-entry-after-any-update': {
    title: 'Once a pet was updated, all lists lack the last other entry',
    alter: hideAfterUpdate((_request, parts) => parts),
  },
  'update-adds-neighbour': {
    title: 'An update also adds the pet to the list under the previous petId',
    alter: changeEntriesAfterUpdate((items, petId) => {
      const updated = items.find((item) => item.petId === petId);
      const isFree = items.every((item) => item.petId !== petId - 1n);
      return updated !== undefined && isFree ? [...items, { ...updated, petId: petId - 1n }] : items;
    }),
  },
  'update-changes-all': {
    title: 'An update sets the quantity of every pet of the same status',
    alter: changeEntriesAfterUpdate((items, petId, quantity) => {
      const status = items.find((item) => item.petId === petId)?.status;
      return items.map((item) => (item.status === status ? { ...item, quantity } : item));
    }),
  },
  'update-sells-empty-pets': {
    title: 'An update makes every other pet without stock sold',
    alter: changeEntriesAfterUpdate((items, petId) =>
      items.map((item) =>
        item.petId !== petId && Number(item.quantity) === 0 ? { ...item, status: 'sold' } : item,
      ),
    ),
  },
  'update-changes-neighbour-once-in-ten': {
    title: 'One update in ten sets the next pet to the same quantity too',
    alter: changeEntriesAfterUpdate((items, petId, quantity, store) => {
      const neighbour = isTenth(store) ? neighbourOf(items, petId) : undefined;
      return items.map((item) => (item === neighbour ? { ...item, quantity } : item));
    }),
  },
});
