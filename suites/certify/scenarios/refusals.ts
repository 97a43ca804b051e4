import { storeForChecks } from '../../../fixtures/corpora/index.ts';
import { A_LIST, A_REFUSAL, AN_UPDATE } from './judged-by.ts';
import type { ClientTask, ClientScenario } from './scenario.ts';
import { answersFirst } from './scripts.ts';

const inventory = storeForChecks();
const list: ClientTask = { operation: 'listInventory' };
const update: ClientTask = { operation: 'updateInventory', petId: 70n, quantity: 5 };
// Bounds are not shown, so that a service may refuse it.
const updateBeyond: ClientTask = { operation: 'updateInventory', petId: 70n, quantity: 5_000 };
const updateUnknown: ClientTask = { operation: 'updateInventory', petId: 404_404_404n, quantity: 5 };

/** 400, 401 and 404, which no retry mends. */
export const REFUSALS: readonly ClientScenario[] = [
  {
    id: 'list-revoked-key',
    title: 'List with a key that was revoked: 401',
    task: list,
    inventory,
    revokedKey: true,
    judges: [...A_LIST, ...A_REFUSAL],
    seconds: 1,
  },
  {
    id: 'update-revoked-key',
    title: 'Update with a key that was revoked: 401',
    task: update,
    inventory,
    revokedKey: true,
    judges: [...AN_UPDATE, ...A_REFUSAL],
    seconds: 1,
  },
  {
    id: 'update-unknown-pet',
    title: 'Update a pet that does not exist: 404',
    task: updateUnknown,
    inventory,
    judges: [...AN_UPDATE, ...A_REFUSAL],
    seconds: 1,
  },
  {
    id: 'update-refused-quantity',
    title: 'Update to a quantity that the service does not accept: 400',
    task: updateBeyond,
    inventory,
    script: () => ({
      kind: 'refused',
      status: 400,
      code: 'Quantity.NotTaken',
      // As a service may quote what it was sent, and go on.
      message:
        'The shelf "A\\7" is too small:  <b>5,000 & more</b> do not fit on it.\nAsk for fewer, or for another shelf. See "Shelves".',
    }),
    judges: [...AN_UPDATE, ...A_REFUSAL],
    seconds: 1,
  },
  {
    id: 'update-refused-beyond-ascii',
    title: 'An Error object whose message holds more than ASCII',
    task: updateBeyond,
    inventory,
    script: () => ({
      kind: 'refused',
      status: 400,
      code: 'quantity_not_taken',
      message: 'Für „Größe 5“ ist im Café kein Platz: 猫 🐈.',
    }),
    judges: [...AN_UPDATE, ...A_REFUSAL],
    seconds: 1,
  },
  {
    id: 'unknown-pet-further-members',
    title: 'An Error object with members that the client does not know',
    task: updateUnknown,
    inventory,
    traits: ['extra-members'],
    judges: [...AN_UPDATE, ...A_REFUSAL],
    seconds: 1,
  },
  {
    id: 'limited-then-refused',
    title: 'A 429, and 400 after the wait',
    task: updateBeyond,
    inventory,
    script: answersFirst(
      { kind: 'limited', retryAfter: { form: 'delta-seconds', seconds: 1 }, body: 'error' },
      {
        kind: 'refused',
        status: 400,
        code: 'quantity_refused',
        message: 'The pet was counted anew meanwhile.',
      },
    ),
    judges: [...AN_UPDATE, ...A_REFUSAL, 'client-waits', 'client-avoids-ban', 'client-retries-limited'],
    seconds: 2,
  },
];
