import type { Check } from '../check.ts';
import { isAccepted, type RequestMessage, type Key } from '../../oracle/index.ts';
import { anyPet, fetchListing, LISTING_JUDGES, type CheckContext } from '../check-context.ts';
import {
  type Credentials,
  type Pet,
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
} from '../../target/index.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { changingUpdate } from '../provoking/burst.ts';
import { asRevoked, listRefused, sendRefusedOf } from '../provoking/refused-key.ts';
import { agreedKey, OF_TWO, sendCheapest } from '../provoking/use-up.ts';

async function useRevoked(context: CheckContext, credentials: Credentials): Promise<void> {
  const messages = [listInventory(), getPet(anyPet(context)), listOrders()];
  const sendRefused = sendRefusedOf(context);
  for (const message of [...messages, ...[changingUpdate(context) ?? []].flat()]) {
    await sendRefused(message, credentials);
  }
}

const USES = 2;
const LIST_SPELLINGS = ['/inventory/', '/inventory?x=1'].map((path) => undocumented('GET', path));
/** So many at once that a target which knows the keys by heart that are much used knows this one. */
const FURTHER_USES = 30;
const USES_OF_REVOKED = 4 * USES + LIST_SPELLINGS.length + FURTHER_USES;
const AT_ONCE = 6;

/**
 * Uses a key in every way, since a target may remember one that it saw often.
 * @returns the other spellings of the list that it accepts
 */
async function useOften(
  context: CheckContext,
  key: Key,
  { petId, item }: Pet,
): Promise<readonly RequestMessage[]> {
  for (let use = 0; use < USES; use += 1) {
    await fetchListing(context, key);
    for (const message of [updateInventory(petId, item.quantity), getPet(petId), listOrders()]) {
      await context.send(message, { key });
    }
  }
  const accepted: RequestMessage[] = [];
  for (const message of LIST_SPELLINGS) {
    if (isAccepted(await context.send(message, { key }))) {
      accepted.push(message);
    }
  }
  await context.sendAll(Array.from({ length: FURTHER_USES }, listOrders), key, AT_ONCE);
  return accepted;
}

/** A key that worked is revoked through the control URL, and works no more. */
export const keyRevokedNow: Check = {
  id: 'key-revoked-now',
  title: 'A key that is revoked is refused from then on, and changes nothing',
  judges: ['revoked-key', 'refused-changes-nothing'],
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'standard',
    control: ['keys'],
    keys: [
      { plan: 'free', use: 'share', requests: 2 },
      { plan: 'free', use: 'share', requests: USES_OF_REVOKED },
    ],
    pets: 1,
  },
  anonymousRequests: 8 + LIST_SPELLINGS.length,
  run: async (context) => {
    // The first key stays valid, since pets are put back with it.
    const [other, key, pet] = [context.key(), context.key(1), context.pet()];
    const spellings = await useOften(context, key, pet);
    await context.control?.revokeKey(key.secret);
    const revoked = asRevoked(key);
    await useRevoked(context, revoked);
    for (const message of spellings) {
      await context.send(message, revoked);
    }
    await listRefused(context, other, pet);
  },
};

const LATER_SECONDS = [0, MINUTE_SECONDS + 5, DAY_SECONDS + 5];

/** A key that was over its limit when it was revoked is a revoked key, at once and for good. */
export const revokedAtLimit: Check = {
  id: 'revoked-at-limit',
  title: 'A key that is revoked at its limit is refused from then on, a minute and a day later, too',
  judges: ['revoked-key'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [agreedKey(OF_TWO, OF_TWO.perMinute + 1)],
  },
  anonymousRequests: LATER_SECONDS.length,
  run: async (context) => {
    const key = context.key();
    await sendCheapest(context, key, OF_TWO.perMinute);
    await context.send(listInventory(), { key });
    await context.control?.revokeKey(key.secret);
    const sendRefused = sendRefusedOf(context);
    for (const seconds of LATER_SECONDS) {
      await context.sleep(seconds, 'a later moment after a key was revoked');
      await sendRefused(listInventory(), asRevoked(key));
    }
  },
};

/** The configured keys that were revoked. */
export const revokedKeys: Check = {
  id: 'revoked-keys',
  title: 'The revoked keys of the configuration are refused',
  judges: ['revoked-key'],
  needs: { profile: 'safe', keys: [], revokedKey: true },
  anonymousRequests: 12,
  run: async (context) => {
    for (const [index, secret] of context.facts.revokedKeys.slice(0, 3).entries()) {
      await useRevoked(context, {
        authorization: [`Bearer ${secret}`],
        labels: [`Bearer revoked#${index + 1}`],
      });
    }
  },
};
