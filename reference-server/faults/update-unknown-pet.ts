import type { InventoryItem } from '../../contract/inventory.ts';
import { INT64_MAX } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { answerInstead } from '../alterations/answers.ts';
import { LARGEST_SAFE, changeStore } from '../alterations/inventory.ts';
import { everyNth, operationOf, rereadable } from '../alterations/requests.ts';
import { changeWhere, dropConnections } from '../alterations/responses.ts';
import { changeUnknownPetAnswers, changeUpdateAnswers } from '../alterations/updates.ts';
import { hangsAfter, leavesBodyAfter, type Fault, breaking } from './fault.ts';
import { answerWith } from '../service/answer.ts';

const isFifteenth = everyNth(15);

/** Answers updates of some unknown pets with another status. */
function refuseUnknown(status: number, isMeant: (petId: bigint) => boolean): Alteration {
  return changeUnknownPetAnswers((answer, petId, parts) =>
    isMeant(petId) ? answerInstead(status, parts) : answer,
  );
}

export const UPDATE_UNKNOWN_PET_FAULTS: readonly Fault[] = [
  hangsAfter(404, 'update-unknown-pet'),
  leavesBodyAfter(404, 'update-unknown-pet'),
  ...breaking('update-unknown-pet', {
    'unknown-pet-closes-the-connection': [
      'An update of an unknown pet closes the connection without a response',
      dropConnections((request, { route, inventory, readPetId }) => {
        const match = route(request.method, request.target);
        const petId =
          match.kind === 'operation' && match.operation === 'updateInventory'
            ? readPetId(match.petId)
            : undefined;
        return petId !== undefined && inventory.find(petId) === undefined;
      }, 'goes on'),
    ],
    'unknown-pet-answered-without-end': [
      'The body of a 404 to an update is one byte shorter than its length, and its connection stays open',
      changeWhere(
        ({ status }, request, parts) => status === 404 && operationOf(parts, request) === 'updateInventory',
        (response) => ({ ...response, spell: (message) => [message.subarray(0, -1)] }),
      ),
      // What takes less time in all may be slow.
      { patience: 10_000 },
    ],
    'unknown-pet-created': [
      'An update of an unknown pet creates it',
      {
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
    ],
    'unknown-pet-accepted': [
      'An update of an unknown pet is answered 200 but not stored',
      changeUpdateAnswers(async (answer, { petId, readBytes }, { representation, readUpdate }) => {
        const update = readUpdate(await readBytes());
        return answer.status === 404 && petId !== undefined && 'quantity' in update
          ? answerWith(200, representation.item({ petId, quantity: update.quantity, status: 'available' }))
          : answer;
      }),
    ],
    'unknown-large-pet-answered-400': [
      'An update of an unknown pet above 2^53 is answered 400',
      refuseUnknown(400, (petId) => petId > LARGEST_SAFE),
    ],
    'largest-pet-id-answered-500': [
      'An update of the unknown pet 9223372036854775807 is answered 500',
      refuseUnknown(500, (petId) => petId === INT64_MAX),
    ],
    'unknown-pet-accepted-once-in-fifteen': [
      'One update of an unknown pet in fifteen is answered 200',
      changeUnknownPetAnswers((answer, petId, parts) =>
        isFifteenth(parts)
          ? answerWith(200, parts.representation.item({ petId, quantity: 0, status: 'available' }))
          : answer,
      ),
    ],
    'unknown-pet-as-position': [
      'An unknown petId is taken as a position in the list',
      changeStore((store) => {
        const find = (petId: bigint): InventoryItem | undefined => {
          const isPosition = petId >= 0n && petId < store.list().length;
          return store.find(petId) ?? (isPosition ? store.list()[Number(petId)] : undefined);
        };
        return { find };
      }),
    ],
  }),
];
