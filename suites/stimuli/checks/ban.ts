import { BAN_STATUSES } from '../../../contract/bans.ts';
import { CONTINUED_REQUESTS, provokeBan, reachLimit } from '../provoking/ban-provocation.ts';
import { followBan, comeBackUnbanned } from '../provoking/ban-end.ts';
import { returnEarly } from '../provoking/early-return.ts';
import { RETRY_AFTER_JUDGES } from '../provoking/honour-retry-after.ts';
import { inAcceptedForms, TRIED_FORMS, type AcceptedForms } from '../provoking/accepted-forms.ts';
import { burstRequests } from '../provoking/burst.ts';
import {
  isAccepted,
  planningLimits,
  type RequestMessage,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { Undecided, type CheckContext } from '../check-context.ts';
import { getPet, listInventory, listOrders } from '../../target/index.ts';
import { checkAfter } from '../survey.ts';
import { ask } from './independence.ts';
import { acceptedForms } from './observations.ts';

const WHILE_BANNED = 6;
// More than were under way at once when the limit was used up.
const REPEATED = 12;
const WITNESS_REQUESTS = 6;

/** Goes on after a 429 until the key is banned, or until it is clear that this target does not ban. */
export const banCheck = checkAfter({
  id: 'ban',
  after: acceptedForms,
  title: 'A ban comes after continued requests only, hits one key only, and ends',
  judges: [
    'ban-ends',
    'ban-answer',
    'ban-only-after-continued',
    'limit-renews',
    'keys-independent-in-ban',
    'keys-independent-at-limit',
    'refusal-is-429',
    'refused-changes-nothing',
    'ban-threshold',
    'ban-length',
    'ban-status',
    'body-of-ban',
  ],
  alsoJudges: [...RETRY_AFTER_JUDGES, 'remaining-falls', 'early-return'],
  needs: {
    profile: 'full',
    keys: [
      {
        plan: 'any',
        use: 'ban',
        requests: (limits) =>
          4 * burstRequests(limits) + CONTINUED_REQUESTS + TRIED_FORMS + 2 * REPEATED + WHILE_BANNED + 12,
      },
      { plan: 'any', use: 'share', requests: WITNESS_REQUESTS },
      { plan: 'pro', use: 'share', requests: WITNESS_REQUESTS, optional: true },
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context, forms) => {
    const [banned, ...others] = context.keys;
    if (banned === undefined || banned === null) {
      throw new Undecided('There is no key to ban.');
    }
    const candidates = others.filter((key) => key !== null && key !== undefined);
    const before = await Promise.all(candidates.map((key) => context.send(listInventory(), { key })));
    // A key that was refused before bears no witness.
    const witnesses = candidates.filter((_key, index) =>
      before.some((served, at) => at === index && isAccepted(served)),
    );
    const refusal = await reachLimit(context, banned, forms);
    if (refusal === null) {
      throw new Undecided(`${banned.label} was never refused, so no ban can follow.`, before[0]);
    }
    if (
      banned.usage.accepted + banned.usage.lostResponses < planningLimits(banned).perMinute ||
      !BAN_STATUSES.has(refusal.response.status)
    ) {
      throw new Undecided(
        `${banned.label} was answered ${refusal.response.status} before it had reached its limit.`,
        refusal,
      );
    }
    if (refusal.response.status !== 429) {
      return;
    }
    await askAll(context, witnesses);
    const early = context.virtualTime
      ? { refusal, continued: 0, ban: null }
      : await returnEarly(context, banned, refusal);
    const already =
      early.continued + (early.ban === null ? await continueInEachForm(context, banned, forms) : 0);
    let sign = early.ban ?? (await provokeBan(context, banned, early.refusal, { already }));
    if (sign === 'window ended' && context.virtualTime) {
      // It was too slow for a ban to begin.
      await context.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${banned.label}`);
      const again = await reachLimit(context, banned, forms);
      if (again?.response.status === 429) {
        await askAll(context, witnesses);
        sign = await provokeBan(context, banned, again);
      }
    }
    // Over the connection that the others use as well; a ban need not look different from a limit.
    const last = await context.send(listInventory(), { key: banned });
    for (const witness of witnesses) {
      await ask(context, witness);
      context.release(witness);
    }
    await (typeof sign === 'string'
      ? comeBackUnbanned(context, banned, last)
      : followBan(context, banned, sign));
  },
});

/**
 * In real time, continues with each operation, and in each form that the target accepts, and goes on in one that is
 * granted, with a plain request before each. With fresh keys, `limit-over-forms` does that without the risk of a ban.
 * @returns how many requests were refused
 */
async function continueInEachForm(context: CheckContext, banned: Key, forms: AcceptedForms): Promise<number> {
  const [pet] = context.pets;
  const all = [listOrders(), getPet(pet?.petId ?? 1n), ...inAcceptedForms(forms, pet)];
  let refused = 0;
  for (const form of context.virtualTime ? [] : all.slice(0, TRIED_FORMS)) {
    const answer = await context.send(form, { key: banned });
    if (isAccepted(answer)) {
      return refused + (await repeatGranted(context, banned, form));
    }
    if (answer.response.status !== 429) {
      break;
    }
    refused += 1;
  }
  return refused;
}

/** No window ends again and again within a moment. @returns how many plain requests were refused */
async function repeatGranted(context: CheckContext, banned: Key, form: RequestMessage): Promise<number> {
  let refused = 0;
  for (let repeated = 0; repeated < REPEATED; repeated += 1) {
    const plain = await context.send(listInventory(), { key: banned });
    await context.send(form, { key: banned });
    refused += isAccepted(plain) ? 0 : 1;
  }
  return refused;
}

async function askAll(context: CheckContext, witnesses: readonly Key[]): Promise<void> {
  for (const witness of witnesses) {
    await ask(context, witness, 2);
  }
}
