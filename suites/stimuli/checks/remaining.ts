import { acceptedMix, documentedMix, takeInTurns } from '../provoking/burst.ts';
import { needsOfUpdates, type Check } from '../check.ts';
import { CREDENTIAL_SPELLINGS, spelled } from '../provoking/credential-spellings.ts';
import type { RequestMessage } from '../../oracle/index.ts';
import { answerTo, anyPet, type CheckContext } from '../check-context.ts';
import { NO_KEY } from '../provoking/refused-key.ts';
import {
  type Credentials,
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
  updateWithBody,
} from '../../target/index.ts';

const SERIES_CONFIGURED = 12;
const SERIES_WITH_UPDATES = 18;
const SERIES_ISSUED = 72;
// So many of a kind: what begins a minute anew does not do so twice within a minute unseen.
const ODD_REQUESTS = 3;

/** X-RateLimit-Remaining falls by one with each accepted request, whatever it asks for. */
export const remainingFalls: Check = {
  id: 'remaining-falls',
  title: 'Remaining falls by one for each accepted request, over all operations together',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: {
    profile: 'safe',
    keys: [{ plan: 'any', use: 'share', requests: SERIES_CONFIGURED }],
  },
  run: (context) => sendSeries(context, SERIES_CONFIGURED, documentedMix(context)),
};

/** What is sent now and then over the same connection, and is no request of an operation with a key. */
interface OddRequest {
  readonly message: RequestMessage;
  /** The key of the series by default. */
  readonly credentials?: Credentials;
}

const WITHOUT_KEY: OddRequest = { message: listInventory(), credentials: NO_KEY };
const ASKING_FOR_METHODS: OddRequest = { message: undocumented('OPTIONS', '/inventory') };

/** With methods beside the documented ones; none of them changes anything, since there is no such pet, and no body. */
const WITH_OTHER_METHODS = ['HEAD', 'PUT', 'POST', 'DELETE'].flatMap((method): readonly OddRequest[] =>
  ['/inventory', '/inventory/404404404', '/inventory', '/inventory/404404404'].map((path) => ({
    message: undocumented(method, path),
  })),
);

/** The same with updates, and long enough for a fault that shows in one response of fifteen. */
export const remainingFallsLong: Check = {
  id: 'remaining-falls-long',
  takesForms: true,
  title: 'Remaining falls by one over a long series of all operations',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: {
    profile: 'standard',
    control: ['keys'],
    keys: [{ plan: 'pro', use: 'share', requests: SERIES_ISSUED + ODD_REQUESTS + WITH_OTHER_METHODS.length }],
    pets: 1,
  },
  anonymousRequests: ODD_REQUESTS,
  run: (context) =>
    sendSeries(context, SERIES_ISSUED, acceptedMix(context), [
      ...Array.from({ length: ODD_REQUESTS }, () => WITHOUT_KEY),
      ...Array.from({ length: ODD_REQUESTS }, () => ASKING_FOR_METHODS),
      ...WITH_OTHER_METHODS,
    ]),
};

const ODD_IN_REAL_TIME = 2;

/** The same for real time and few keys. */
export const remainingFallsWithUpdates: Check = {
  id: 'remaining-falls-with-updates',
  takesForms: true,
  title: 'Remaining falls by one over updates and refused ones, too',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: { ...needsOfUpdates(SERIES_WITH_UPDATES + ODD_IN_REAL_TIME, 1), realTimeOnly: true },
  run: (context) =>
    sendSeries(
      context,
      SERIES_WITH_UPDATES,
      acceptedMix(context),
      Array.from({ length: ODD_IN_REAL_TIME }, () => ASKING_FOR_METHODS),
    ),
};

async function sendSeries(
  context: CheckContext,
  length: number,
  messages: readonly RequestMessage[],
  odd: readonly OddRequest[] = [],
): Promise<void> {
  const key = context.key();
  const petId = anyPet(context);
  // Something is counted after the last of them, too.
  const between = Math.floor(length / (odd.length + 1));
  const refused =
    context.pets.length === 0 ? [] : [updateWithBody(petId, '{}'), updateInventory(404_404_404n, 1)];
  const mix = [...messages, listInventory(), getPet(petId), ...refused, listOrders()];
  for (const [sent, message] of takeInTurns(mix, length).entries()) {
    if (sent % 3 === 2) {
      // Over another connection, for a server that counts each by itself.
      await context.sendAll([message], key, 2);
    } else {
      const credentials = sent % 8 === 4 ? spelled(key, CREDENTIAL_SPELLINGS[0]) : { key };
      await context.send(message, credentials);
    }
    const next = sent % between === between - 1 ? odd[Math.floor(sent / between)] : undefined;
    if (next !== undefined) {
      await answerTo(context, next.message, next.credentials);
    }
  }
}
