import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { Check } from '../check.ts';
import { type KeyNeed, listInventory } from '../../target/index.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  planningLimits,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { Undecided, type CheckContext } from '../check-context.ts';
import { countAccepted } from '../provoking/burst.ts';
import { cheapestRequest, FREE_LIMIT } from '../provoking/use-up.ts';

const WITNESS_REQUESTS = 6;
// With so few a key may be at its own limit.
const FEWEST_REMAINING = 3;
// Well under a minute, by which an aligned window moves.
const YOUNG_WINDOW_SECONDS = 50;

/** A key at its limit changes nothing for others, of its own plan or another. */
export const keysAtLimit: Check = {
  id: 'keys-at-limit',
  title: 'A key at its limit leaves other keys untouched',
  judges: ['keys-independent-at-limit'],
  needs: {
    profile: 'full',
    // A key at its limit may halt all others, which shows only if they are seen before and after.
    alone: true,
    control: ['keys'],
    keys: [
      { plan: 'free', use: 'exhaust', requests: FREE_LIMIT + 24 },
      ...(['free', 'pro', 'business', 'enterprise'] as const).map((plan): KeyNeed => ({
        plan,
        use: 'share',
        requests: WITNESS_REQUESTS,
      })),
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const [exhausted, ...witnesses] = context.keys.filter((key) => key !== null);
    if (exhausted === undefined) {
      throw new Undecided('There is no key to exhaust.');
    }
    // Keys that were there before the run may share a counter with new ones.
    witnesses.push(...context.facts.idleKeys);
    if (context.virtualTime) {
      // Another key may be at its limit still, and halt them all.
      await context.sleep(TWO_WINDOWS_SECONDS, 'the end of what other keys were refused for');
    }
    const alone = new Map<Key, ServedAlone>();
    for (const witness of witnesses) {
      alone.set(witness, await serveAlone(context, witness));
      // A server that charges the key which asked before is seen by this.
      await context.send(cheapestRequest(context), { key: exhausted });
    }
    // If it is refused early, it is at a limit, too.
    const { perMinute } = planningLimits(exhausted);
    const messages = Array.from({ length: Math.max(0, perMinute - witnesses.length) }, () =>
      cheapestRequest(context),
    );
    await context.sendAll(messages, exhausted, 16);
    await context.send(cheapestRequest(context), { key: exhausted });
    for (const [witness, served] of alone) {
      await judgeUntouched(
        context,
        'keys-independent-at-limit',
        witness,
        served,
        `${exhausted.label} was at its limit`,
      );
    }
  },
};

/** How a key is served as long as it is the only one that is used. */
export interface ServedAlone {
  readonly last: Exchange;
  readonly isServed: boolean;
  /** Whether it used up one of what remains with a request. */
  readonly fellByOne: boolean;
}

/** Sends two requests in a row with a witness, over the connection of the other key. */
export async function serveAlone(context: CheckContext, witness: Key): Promise<ServedAlone> {
  const first = await sendOne(context, witness);
  const last = isAccepted(first) ? await sendOne(context, witness) : first;
  const [before, was] = [rateLimitOf(first), rateLimitOf(last)];
  const fellByOne = before?.limit === was?.limit && before?.remaining === (was?.remaining ?? 0) + 1;
  return { last, isServed: isAccepted(last), fellByOne };
}

async function sendOne(context: CheckContext, key: Key): Promise<Exchange> {
  const [exchange] = await context.sendAll([listInventory()], key, 1);
  if (exchange === undefined) {
    throw new Undecided(`A request of ${key.label} got no response.`);
  }
  return exchange;
}

/** Judges that a key is served as it was alone, and that its remaining requests fell by one only. */
export async function judgeUntouched(
  context: CheckContext,
  id: 'keys-independent-at-limit' | 'keys-independent-in-ban',
  witness: Key,
  alone: ServedAlone,
  circumstance: string,
): Promise<void> {
  // A single request; to wait and try again would hide a refusal.
  const after = await sendOne(context, witness);
  const was = rateLimitOf(alone.last);
  // A configured key may have been at its limit before; then it bears no witness.
  if (!alone.isServed || (was !== undefined && was.remaining < FEWEST_REMAINING)) {
    return;
  }
  const served = context.judge(
    id,
    isAccepted(after),
    `${witness.label} was answered ${after.response.status} while ${circumstance}.`,
    after,
  );
  const is = rateLimitOf(after);
  if (served && alone.fellByOne && was !== undefined && is !== undefined && was.limit === is.limit) {
    context.judge(
      id,
      is.remaining >= was.remaining - 1 - after.lostResponses,
      `${witness.label} had ${was.remaining} requests remaining and, one request later, ${is.remaining}, while ${circumstance}.`,
      after,
    );
    context.judge(
      id,
      is.remaining < was.remaining ||
        mayHaveRenewed(context, witness, is.reset - was.reset) ||
        is.remaining - was.remaining + 1 <= mostRefilled(witness, alone.last, after),
      `${witness.label} had ${was.remaining} requests remaining and, one request later, ${is.remaining} of the same window, while ${circumstance}.`,
      after,
    );
  }
}

/** How many requests a bucket makes room for between two answers, if it is refilled all the time: wrong, but not by another key. */
function mostRefilled(witness: Key, from: Exchange, to: Exchange): number {
  const seconds = (to.receivedAt - from.sentAt) / 1000;
  return 1 + (seconds * planningLimits(witness).perMinute) / MINUTE_SECONDS;
}

/** Whether a window of the witness may have ended by itself: none that began with it is as old as that. */
function mayHaveRenewed(context: CheckContext, { issued, usage }: Key, resetMovedSeconds: number): boolean {
  const age = (context.now() - (usage.sentAt[0] ?? 0)) / 1000;
  return !issued || age > YOUNG_WINDOW_SECONDS || resetMovedSeconds > YOUNG_WINDOW_SECONDS;
}

const LEFT_OF_DAY = 24;
const DAY_REQUESTS_OF_OTHER = 16;
// What other checks sent before may be charged to the day as well, but to both keys.
const FEWER_BY_OTHER = 8;
const LITTLE_LEFT: KeyNeed = {
  plan: 'free',
  use: 'exhaust',
  requests: LEFT_OF_DAY,
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
    const [busy, before, after] = context.keys.filter((key) => key !== null);
    if (busy === undefined || before === undefined || after === undefined) {
      throw new Undecided('Three keys are needed.');
    }
    const alone = await countGranted(context, before);
    if (alone.granted <= FEWER_BY_OTHER) {
      throw new Undecided(
        `${before.label} had ${LEFT_OF_DAY} requests of its day left, and was granted ${alone.granted}.`,
        alone.refusal,
      );
    }
    await context.sendAll(
      Array.from({ length: DAY_REQUESTS_OF_OTHER }, () => listInventory()),
      busy,
      1,
    );
    const { granted, refusal } = await countGranted(context, after);
    context.judge(
      'keys-independent-at-limit',
      refusal === undefined || granted + after.usage.lostResponses > alone.granted - FEWER_BY_OTHER,
      `${before.label} and ${after.label} had ${LEFT_OF_DAY} requests of their day left each; ${before.label} was granted ${alone.granted} and, after ${DAY_REQUESTS_OF_OTHER} requests of ${busy.label}, ${after.label} ${granted}.`,
      refusal,
    );
  },
};

/** Sends what is left of a key's day. */
async function countGranted(
  context: CheckContext,
  key: Key,
): Promise<{ readonly granted: number; readonly refusal: Exchange | undefined }> {
  const messages = Array.from({ length: LEFT_OF_DAY }, () => listInventory());
  const answers = await context.sendAll(messages, key, 1);
  return {
    granted: countAccepted(answers),
    refusal: answers.find(({ response }) => response.status === 429),
  };
}

const REQUESTS_OF_OTHER = 8;

/** What one key sends is not charged to another. */
export const keysApart: Check = {
  id: 'keys-apart',
  title: 'The requests of one key are not charged to another',
  judges: ['keys-independent-at-limit'],
  needs: {
    profile: 'standard',
    keys: [
      { plan: 'any', use: 'spare', requests: 2 * REQUESTS_OF_OTHER },
      { plan: 'any', use: 'spare', requests: 6 },
    ],
  },
  run: async (context) => {
    const [busy, witness] = context.keys.filter((key) => key !== null);
    if (busy !== undefined && witness !== undefined) {
      const falls = [];
      let shown: Exchange | undefined;
      for (let round = 0; round < 2; round += 1) {
        const alone = await serveAlone(context, witness);
        await context.sendAll(
          Array.from({ length: REQUESTS_OF_OTHER / 2 }, () => listInventory()),
          busy,
          1,
        );
        shown = await context.send(listInventory(), { key: witness });
        const fall = (rateLimitOf(alone.last)?.remaining ?? 0) - (rateLimitOf(shown)?.remaining ?? 0);
        falls.push(alone.fellByOne ? fall - shown.lostResponses : 0);
      }
      // Others may use the keys of a staging system, but hardly as much and at the same moments.
      context.judge(
        'keys-independent-at-limit',
        !falls.every((fall) => fall > REQUESTS_OF_OTHER / 2),
        `Each time ${busy.label} had sent ${REQUESTS_OF_OTHER / 2} requests, ${witness.label} had ${falls.join(' and ')} fewer remaining, though it had sent one.`,
        shown,
      );
    }
  },
};
