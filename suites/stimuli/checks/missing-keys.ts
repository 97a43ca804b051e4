import { TRUSTED_FIELDS } from '../../../fixtures/corpora/index.ts';
import { inAcceptedForms, MOST_FORMS, whyNoForms } from '../provoking/accepted-forms.ts';
import { needsOfUpdates, type Check } from '../check.ts';
import type { RequestMessage } from '../../oracle/index.ts';
import { answerTo, anyPet, LISTING_JUDGES } from '../check-context.ts';
import {
  type Credentials,
  distinctQuantity,
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
  updateWithBody,
} from '../../target/index.ts';
import {
  NO_KEY,
  NEVER_ISSUED,
  listRefused,
  sendRefusedOf,
  type SendRefused,
} from '../provoking/refused-key.ts';

/** No key, and a key that was never issued. */
async function sendWithoutKey(sendRefused: SendRefused, message: RequestMessage): Promise<void> {
  await sendRefused(message, NO_KEY);
  await sendRefused(message, NEVER_ISSUED);
}

/** A request without a key, and one with an unknown key, on each operation that only reads. */
export const keylessReads: Check = {
  id: 'keyless-reads',
  title: 'Every operation that reads demands a key',
  judges: [
    'missing-key',
    'unknown-key',
    'every-operation-authenticates',
    'error-code',
    'error-message',
    'error-status',
  ],
  needs: { profile: 'safe', keys: [] },
  anonymousRequests: 10,
  run: async (context) => {
    const sendRefused = sendRefusedOf(context);
    for (const message of [listInventory(), getPet(anyPet(context)), listOrders()]) {
      await sendWithoutKey(sendRefused, message);
    }
    // A gateway may refuse them by itself.
    const trusted = { ...listInventory(), operation: null, headers: Object.entries(TRUSTED_FIELDS) };
    await sendRefused(trusted, NO_KEY);
  },
};

/** A spelling that reaches an operation with a key does not reach it without one. */
export const keylessForms: Check = {
  id: 'keyless-forms',
  takesForms: true,
  title: 'No spelling of a path lets a request without a valid key through',
  judges: ['every-operation-authenticates'],
  needs: { profile: 'full', keys: [], pets: 1, worksWithoutPets: true },
  anonymousRequests: 2 * MOST_FORMS,
  run: async (context) => {
    const unknown = whyNoForms(context);
    if (unknown !== null) {
      context.notProvoked('every-operation-authenticates', unknown);
    }
    const sendRefused = sendRefusedOf(context);
    for (const message of inAcceptedForms(context)) {
      await sendWithoutKey(sendRefused, message);
    }
  },
};

/** Updates with every sort of bad key, none of which may change anything. */
export const keylessUpdates: Check = {
  id: 'keyless-updates',
  title: 'An update demands a key, and without one changes nothing',
  judges: [
    'missing-key',
    'unknown-key',
    'bearer-scheme',
    'every-operation-authenticates',
    'refused-changes-nothing',
    'authentication-first',
  ],
  alsoJudges: LISTING_JUDGES,
  needs: needsOfUpdates(3, 1),
  anonymousRequests: 8,
  run: async (context) => {
    const pet = context.pet();
    const message = updateInventory(pet.petId, distinctQuantity(pet));
    const sendRefused = sendRefusedOf(context);
    await sendWithoutKey(sendRefused, message);
    const bare: Credentials = {
      authorization: [context.key().secret],
      labels: [`${context.key().label} without a scheme`],
    };
    await sendRefused(message, bare);
    // What asks which methods there are needs no key, and signs nobody in.
    await answerTo(context, undocumented('OPTIONS', '/inventory'), NO_KEY);
    await sendRefused(listInventory(), NO_KEY);
    await context.send(updateWithBody('9223372036854775807', '{"quantity":'), NEVER_ISSUED);
    await listRefused(context, context.key(), pet);
  },
};

const REPEATS = 16;

/** Refusals often enough for a fault that shows in one of fifteen. */
export const manyKeylessRequests: Check = {
  id: 'many-keyless-requests',
  title: 'Each of many requests without a valid key is refused in the same way',
  judges: ['missing-key', 'unknown-key', 'error-code', 'error-message', 'error-status'],
  needs: { profile: 'full', control: ['keys'], keys: [] },
  anonymousRequests: 3 * REPEATS,
  run: async (context) => {
    const sendRefused = sendRefusedOf(context);
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const petId = anyPet(context);
      await sendRefused(listInventory(), NO_KEY);
      await sendRefused(updateWithBody(petId, '{"quantity":1}'), NEVER_ISSUED);
      await sendRefused(repeat % 2 === 0 ? getPet(petId) : listOrders(), NO_KEY);
    }
  },
};
