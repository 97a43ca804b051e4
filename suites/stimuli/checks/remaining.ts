import { acceptedMix, documentedMix, takeInTurns } from '../provoking/burst.ts';
import { needsOfUpdates, type Check } from '../check.ts';
import { CREDENTIAL_SPELLINGS, spelled } from '../provoking/credential-spellings.ts';
import type { RequestMessage } from '../../oracle/index.ts';
import { anyPet, type CheckContext } from '../check-context.ts';
import { getPet, listInventory, listOrders, updateInventory, updateWithBody } from '../../target/index.ts';

const SERIES_CONFIGURED = 12;
const SERIES_WITH_UPDATES = 18;
const SERIES_ISSUED = 48;

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

/** The same with updates, and long enough for a fault that shows in one response of fifteen. */
export const remainingFallsLong: Check = {
  id: 'remaining-falls-long',
  takesForms: true,
  title: 'Remaining falls by one over a long series of all operations',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: {
    profile: 'standard',
    control: ['keys'],
    keys: [{ plan: 'free', use: 'share', requests: SERIES_ISSUED }],
    pets: 1,
  },
  run: (context) => sendSeries(context, SERIES_ISSUED, acceptedMix(context)),
};

/** The same for real time and few keys. */
export const remainingFallsWithUpdates: Check = {
  id: 'remaining-falls-with-updates',
  takesForms: true,
  title: 'Remaining falls by one over updates and refused ones, too',
  judges: ['remaining-falls', 'remaining-counts-operations'],
  needs: { ...needsOfUpdates(SERIES_WITH_UPDATES, 1), realTimeOnly: true },
  run: (context) => sendSeries(context, SERIES_WITH_UPDATES, acceptedMix(context)),
};

async function sendSeries(
  context: CheckContext,
  length: number,
  messages: readonly RequestMessage[],
): Promise<void> {
  const key = context.key();
  const petId = anyPet(context);
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
  }
}
