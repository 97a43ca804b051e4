import { INT64_MAX } from '../../contract/lossless-json.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { answerError, answerWith, type Answer } from '../service/answer.ts';
import { everyNth } from '../alterations/response-changes.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Fault } from './fault.ts';
import { LARGEST_SAFE } from './integer-ranges.ts';
import { bytesOf, changeUpdateAnswers, rereadable } from '../alterations/update-changes.ts';

/** Changes the answer to an update of an unknown pet, unless its petId is no int64. */
function answerUnknown(
  start: (parts: ServiceParts) => (answer: Answer, petId: bigint) => Answer,
): Alteration {
  return changeUpdateAnswers((parts) => {
    const change = start(parts);
    return (answer, { segment }) => {
      const petId = parts.readPetId(segment);
      return answer.status === 404 && petId !== undefined ? change(answer, petId) : answer;
    };
  });
}

/** Answers updates of some unknown pets with another status. */
function refuseUnknown(status: number, isMeant: (petId: bigint) => boolean): Alteration {
  const error = { code: 'unknown_pet', message: 'There is no such pet.', status };
  return answerUnknown(
    ({ representation }) =>
      (answer, petId) =>
        isMeant(petId) ? answerError(representation, error) : answer,
  );
}

/** Has some pets not be found by an update, though the list shows them. */
function hiddenPets(id: string, title: string, isHidden: (petId: bigint) => boolean): Fault {
  return {
    id,
    title,
    breaks: 'update-exact-pet',
    alter: {
      parts: ({ readPetId }) => ({
        readPetId: (segment) => {
          const petId = readPetId(segment);
          return petId !== undefined && isHidden(petId) ? undefined : petId;
        },
      }),
    },
  };
}

export const PET_ID_FAULTS: readonly Fault[] = [
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
    title: 'An update of an unknown pet is answered 200 and not stored',
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
  hiddenPets(
    'largest-pet-id-not-found',
    'A pet 9223372036854775807 that is in the store is answered 404',
    (petId) => petId === INT64_MAX,
  ),
  hiddenPets(
    'pet-2-to-the-31-not-found',
    'A pet 2147483648 that is in the store is answered 404',
    (petId) => petId === 2n ** 31n,
  ),
  hiddenPets('pet-1-not-found', 'A pet 1 that is in the store is answered 404', (petId) => petId === 1n),
  {
    id: 'pet-id-sign-ignored',
    title: 'An update of pet -1 changes pet 1',
    breaks: 'update-exact-pet',
    alter: {
      parts: ({ readPetId }) => ({ readPetId: (segment) => readPetId(segment.replace(/^-/, '')) }),
    },
  },
  {
    id: 'unknown-pet-not-positive-accepted',
    title: 'An update of an unknown pet whose petId is zero or below is answered 200',
    breaks: 'update-exact-pet',
    alter: answerUnknown(
      ({ representation }) =>
        (answer, petId) =>
          petId > 0n
            ? answer
            : answerWith(200, representation.item({ petId, quantity: 0, status: 'available' })),
    ),
  },
  {
    id: 'unknown-pet-accepted-once-in-fifteen',
    title: 'One update of an unknown pet in fifteen is answered 200',
    breaks: 'update-unknown-pet',
    alter: answerUnknown(({ representation }) => {
      const isNext = everyNth(15);
      return (answer, petId) =>
        isNext() ? answerWith(200, representation.item({ petId, quantity: 0, status: 'available' })) : answer;
    }),
  },
];
