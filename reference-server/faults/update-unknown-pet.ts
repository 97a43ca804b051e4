import type { InventoryItem } from '../../contract/inventory.ts';
import { INT64_MAX } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { LARGEST_SAFE, changeStore } from '../alterations/inventory.ts';
import { bytesOf, everyNth, rereadable } from '../alterations/requests.ts';
import { dropConnections } from '../alterations/responses.ts';
import { changeUnknownPetAnswers } from '../alterations/updates.ts';
import { hangsAfter, leavesBodyAfter, type Fault } from './fault.ts';
import { answerError, answerWith } from '../service/answer.ts';

/** Answers updates of some unknown pets with another status. */
function refuseUnknown(status: number, isMeant: (petId: bigint) => boolean): Alteration {
  const error = { code: 'unknown_pet', message: 'There is no such pet.', status };
  return changeUnknownPetAnswers(
    ({ representation }) =>
      (answer, petId) =>
        isMeant(petId) ? answerError(representation, error) : answer,
  );
}

export const UPDATE_UNKNOWN_PET_FAULTS: readonly Fault[] = [
  hangsAfter(404, 'update-unknown-pet'),
  leavesBodyAfter(404, 'update-unknown-pet'),
  {
    id: 'unknown-pet-closes-the-connection',
    title: 'An update of an unknown pet closes the connection without a response',
    breaks: 'update-unknown-pet',
    alter: dropConnections((request, { route, inventory, readPetId }) => {
      const match = route(request.method, request.target);
      const petId =
        match.kind === 'operation' && match.operation === 'updateInventory'
          ? readPetId(match.petId)
          : undefined;
      return petId !== undefined && inventory.find(petId) === undefined;
    }, 'goes on'),
  },
  {
    id: 'unknown-pet-created',
    title: 'An update of an unknown pet creates it',
    breaks: 'update-unknown-pet',
    alter: {
      answers: (answers, { inventory, readPetId }) => ({
        updateInventory: async (request, segment) => {
          const again = rereadable(request);
          const answer = await answers.updateInventory(again, segment);
          const petId = readPetId(segment);
          if (answer.status !== 404 || petId === undefined) {
            return answer;
          }
          inventory.replace([...inventory.list(), { petId, quantity: 0, status: 'available' }]);
          return answers.updateInventory(again, segment);
        },
      }),
    },
  },
  {
    id: 'unknown-pet-accepted',
    title: 'An update of an unknown pet is answered 200 but not stored',
    breaks: 'update-unknown-pet',
    alter: {
      answers: (answers, { representation, readPetId, readUpdate }) => ({
        updateInventory: async (request, segment) => {
          const again = rereadable(request);
          const answer = await answers.updateInventory(again, segment);
          const petId = readPetId(segment);
          const update = readUpdate(await bytesOf(again));
          return answer.status === 404 && petId !== undefined && 'quantity' in update
            ? answerWith(200, representation.item({ petId, quantity: update.quantity, status: 'available' }))
            : answer;
        },
      }),
    },
  },
  {
    id: 'unknown-large-pet-answered-400',
    title: 'An update of an unknown pet above 2^53 is answered 400',
    breaks: 'update-unknown-pet',
    alter: refuseUnknown(400, (petId) => petId > LARGEST_SAFE),
  },
  {
    id: 'largest-pet-id-answered-500',
    title: 'An update of the unknown pet 9223372036854775807 is answered 500',
    breaks: 'update-unknown-pet',
    alter: refuseUnknown(500, (petId) => petId === INT64_MAX),
  },
  {
    id: 'unknown-pet-accepted-once-in-fifteen',
    title: 'One update of an unknown pet in fifteen is answered 200',
    breaks: 'update-unknown-pet',
    alter: changeUnknownPetAnswers(({ representation }) => {
      const isNext = everyNth(15);
      return (answer, petId) =>
        isNext() ? answerWith(200, representation.item({ petId, quantity: 0, status: 'available' })) : answer;
    }),
  },
  {
    id: 'unknown-pet-as-position',
    title: 'An unknown petId is taken as a position in the list',
    breaks: 'update-unknown-pet',
    alter: changeStore((store) => {
      const find = (petId: bigint): InventoryItem | undefined => {
        const isPosition = petId >= 0n && petId < store.list().length;
        return store.find(petId) ?? (isPosition ? store.list()[Number(petId)] : undefined);
      };
      return { find };
    }),
  },
];
