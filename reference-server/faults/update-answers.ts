import type { Alteration } from '../alterations/alteration.ts';
import { answerError, answerWith, type Answer } from '../service/answer.ts';
import { readInventoryUpdate } from '../service/inventory-update.ts';
import { everyNth } from '../alterations/response-changes.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Fault } from './fault.ts';
import { changeStore, neighbourOf } from '../alterations/inventory-changes.ts';
import { changeUpdateAnswers } from '../alterations/update-changes.ts';

/** Changes what an update that was carried out is answered. */
function answerSuccess(start: (parts: ServiceParts) => (answer: Answer) => Answer): Alteration {
  return changeUpdateAnswers((parts) => {
    const change = start(parts);
    return (answer) => (answer.status === 200 ? change(answer) : answer);
  });
}

function setsZero(bytes: Uint8Array): boolean {
  const reading = readInventoryUpdate(bytes);
  return 'quantity' in reading && reading.quantity === 0;
}

export const UPDATE_ANSWER_FAULTS: readonly Fault[] = [
  {
    id: 'update-answered-204',
    title: 'An update is answered 204 without content',
    breaks: 'update-succeeds',
    alter: answerSuccess(() => () => answerWith(204, '')),
  },
  {
    id: 'update-answered-with-old-quantity',
    title: 'The answer to an update shows the quantity before it',
    breaks: 'update-succeeds',
    alter: changeStore((store) => ({
      setQuantity: (petId, quantity) => {
        const before = store.find(petId);
        store.setQuantity(petId, quantity);
        return before;
      },
    })),
  },
  {
    id: 'update-answered-with-neighbour',
    title: 'The answer to an update shows the next pet',
    breaks: 'update-exact-pet',
    alter: changeStore((store) => ({
      setQuantity: (petId, quantity) => {
        const updated = store.setQuantity(petId, quantity);
        return neighbourOf(store.list(), petId) ?? updated;
      },
    })),
  },
  {
    id: 'update-to-same-quantity-answered-304',
    title: 'An update to the quantity that the pet has already is answered 304',
    breaks: 'update-succeeds',
    alter: {
      answers: (answers, { inventory, readPetId }) => ({
        updateInventory: async (request, segment) => {
          const petId = readPetId(segment) ?? 0n;
          const before = inventory.find(petId);
          const answer = await answers.updateInventory(request, segment);
          const isSame = before !== undefined && inventory.find(petId)?.quantity === before.quantity;
          return isSame && answer.status === 200 ? answerWith(304, '') : answer;
        },
      }),
    },
  },
  {
    id: 'update-to-zero-refused',
    title: 'An update to 0 is answered 400',
    breaks: 'update-succeeds',
    alter: {
      parts: ({ readUpdate }) => ({
        readUpdate: (bytes) =>
          setsZero(bytes)
            ? { problem: { code: 'missing_quantity', message: 'quantity is missing.' } }
            : readUpdate(bytes),
      }),
    },
  },
  {
    id: 'update-fails-once-in-fifteen',
    title: 'One update in fifteen is carried out and answered 503',
    breaks: 'update-succeeds',
    alter: answerSuccess(({ representation }) => {
      const isNext = everyNth(15);
      const error = { code: 'busy', message: 'The service is busy.', status: 503 };
      return (answer) => (isNext() ? answerError(representation, error) : answer);
    }),
  },
];
