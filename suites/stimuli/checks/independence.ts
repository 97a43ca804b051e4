import { PLANS } from '../../../contract/plans.ts';
import type { Check } from '../check.ts';
import { type KeyNeed, listInventory } from '../../target/index.ts';
import { planningLimits, TWO_WINDOWS_SECONDS, type Exchange, type Key } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { cheapestRequest, FREE_LIMIT, sendCheapest } from '../provoking/use-up.ts';

// So many tell that a key is counted well by itself.
const REQUESTS_ALONE = 4;
const REQUESTS_BEYOND = 14;
const WITNESS_REQUESTS = 6;

/** A key at its limit changes nothing for others, of its own plan or another. */
export const keysAtLimit: Check = {
  id: 'keys-at-limit',
  title: 'A key at its limit leaves other keys untouched',
  judges: ['keys-independent-at-limit'],
  alsoJudges: ['minute-limit-free'],
  needs: {
    profile: 'full',
    // A key at its limit may halt all others, which shows only if they are seen before and after.
    alone: true,
    control: ['keys'],
    keys: [
      { plan: 'free', use: 'exhaust', requests: FREE_LIMIT + REQUESTS_BEYOND + 24 },
      ...PLANS.map((plan): KeyNeed => ({ plan, use: 'share', requests: WITNESS_REQUESTS })),
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const exhausted = context.key();
    // Keys that were there before the run may share a counter with new ones.
    const witnesses = [...PLANS.map((_, index) => context.key(1 + index)), ...context.facts.idleKeys];
    if (context.virtualTime) {
      // Another key may be at its limit still, and halt them all.
      await context.sleep(TWO_WINDOWS_SECONDS, 'the end of what other keys were refused for');
    }
    for (const witness of witnesses) {
      await ask(context, witness, 2);
      // A server that charges the key which asked before is seen by this.
      await context.send(cheapestRequest(context), { key: exhausted });
    }
    // If it is refused early, it is at a limit, too.
    const left = planningLimits(exhausted).perMinute - witnesses.length;
    await sendCheapest(context, exhausted, Math.max(0, left));
    await context.send(cheapestRequest(context), { key: exhausted });
    for (const witness of witnesses) {
      await ask(context, witness);
    }
    // A limit that lets some through shows itself to a single client that goes on.
    await ask(context, exhausted, REQUESTS_BEYOND);
  },
};

/** Lists one time after the other, over the connection that other keys use as well. @returns the answers */
export async function ask(context: CheckContext, key: Key, requests = 1): Promise<readonly Exchange[]> {
  const lists: Exchange[] = [];
  for (let sent = 0; sent < requests; sent += 1) {
    lists.push(...(await context.sendAll([listInventory()], key, 1)));
  }
  return lists;
}

const LEFT_OF_DAY = 24;
const DAY_REQUESTS_OF_OTHER = 16;
const LITTLE_LEFT: KeyNeed = {
  plan: 'free',
  use: 'exhaust',
  requests: LEFT_OF_DAY + 1,
  usedToday: ({ perDay }) => perDay - LEFT_OF_DAY,
};

/** What one key sends is not charged to the day of another of its plan; early, while few requests were made at all. */
export const daysApart: Check = {
  id: 'days-apart',
  title: 'The requests of one key are not charged to the day of another',
  judges: ['keys-independent-at-limit'],
  needs: {
    profile: 'full',
    alone: true,
    control: ['keys'],
    keys: [{ plan: 'free', use: 'share', requests: DAY_REQUESTS_OF_OTHER }, LITTLE_LEFT, LITTLE_LEFT],
  },
  run: async (context) => {
    const after = context.key(2);
    await ask(context, after, REQUESTS_ALONE);
    await ask(context, context.key(1), LEFT_OF_DAY + 1);
    await ask(context, context.key(), DAY_REQUESTS_OF_OTHER);
    await ask(context, after, LEFT_OF_DAY + 1 - REQUESTS_ALONE);
  },
};

const REQUESTS_OF_OTHER = 8;

/** What one key sends is not charged to another. */
export const keysApart: Check = {
  id: 'keys-apart',
  title: 'The requests of one key are not charged to another',
  judges: ['remaining-falls', 'keys-independent-at-limit'],
  needs: {
    profile: 'standard',
    keys: [
      { plan: 'any', use: 'spare', requests: 2 * REQUESTS_OF_OTHER },
      { plan: 'any', use: 'spare', requests: 2 * (REQUESTS_ALONE + 1) },
    ],
  },
  run: async (context) => {
    const witness = context.key(1);
    for (let round = 0; round < 2; round += 1) {
      await ask(context, witness, REQUESTS_ALONE);
      await ask(context, context.key(), REQUESTS_OF_OTHER / 2);
      await ask(context, witness);
    }
  },
};
