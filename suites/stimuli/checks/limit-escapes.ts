import { againAtOtherPhase } from '../provoking/other-phase.ts';
import { MOST_TRIED, triedAtLimit, whyNoForms } from '../provoking/accepted-forms.ts';
import { countAccepted } from '../provoking/burst.ts';
import type { Check } from '../check.ts';
import { CREDENTIAL_SPELLINGS, spelled } from '../provoking/credential-spellings.ts';
import {
  isAccepted,
  type Exchange,
  type RequestMessage,
  planningLimits,
  type Key,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { comeBackAsTold, RETRY_AFTER_JUDGES } from '../provoking/honour-retry-after.ts';
import {
  listInventory,
  listOrders,
  getPet,
  updateInventory,
  updateWithBody,
  type Pet,
} from '../../target/index.ts';
import {
  cheapestRequest,
  FREE_LIMIT,
  freeKeys,
  sendCheapest,
  sendUntilRefused,
  smallKeys,
  useUp,
} from '../provoking/use-up.ts';

// Two requests beyond the limit of each.
const KEYS_OF_FORMS = Math.ceil((MOST_TRIED + CREDENTIAL_SPELLINGS.length) / 2);

/** Each operation and each accepted spelling is a request beyond the limit once. */
export const limitOverForms: Check = {
  id: 'limit-over-forms',
  takesForms: true,
  title: 'No operation and no spelling of a path escapes a limit that is reached',
  judges: ['limit-over-spellings', 'refusal-is-429'],
  alsoJudges: ['update-malformed-body'],
  needs: {
    profile: 'full',
    control: ['keys'],
    keys: smallKeys(KEYS_OF_FORMS, 2, { perMinute: 5 }),
    pets: 1,
  },
  run: async (context) => {
    const pet = context.pet();
    const others = [getPet(pet.petId), listOrders()];
    const tried = [
      // In the form that uses the limit up, so that a limit which is too high is no form's doing.
      { message: updateInventory(pet.petId, Number(pet.item.quantity) + 1) },
      { message: listInventory() },
      ...others.map((message) => ({ message })),
      ...triedAtLimit(context).filter(({ message }) => others.every(({ path }) => message.path !== path)),
    ];
    const unknown = whyNoForms(context);
    if (unknown !== null) {
      context.leftOpen('limit-over-spellings', unknown);
    }
    const beyond = [
      ...tried.map(
        ({ message, over }) =>
          (key: Key) =>
            context.send(message, { key }, over),
      ),
      ...CREDENTIAL_SPELLINGS.map(
        (spelling) => (key: Key) => context.send(cheapestRequest(context), spelled(key, spelling)),
      ),
    ];
    for (const [index, send] of beyond.slice(0, KEYS_OF_FORMS).entries()) {
      const key = context.key(index);
      const sendNext = beyond[index + KEYS_OF_FORMS];
      await againAtOtherPhase(context, async () => {
        // The last one over the same connection as what comes then.
        await useUp(context, key, 1);
        await context.send(cheapestRequest(context), { key });
        const answers = [await send(key)];
        if (sendNext !== undefined) {
          answers.push(await sendNext(key));
        }
        return answers.some(isAccepted);
      });
    }
  },
};

// What the opening leaves of the limit: refusals may count or not.
const LEFT = 4;
const MOST_AFTER_REFUSALS = LEFT + 2;

/** Ways to be refused for the content of a request. */
const REFUSALS: readonly ((pet: Pet) => RequestMessage)[] = [
  ({ petId }) => updateWithBody(petId, '{}'),
  ({ petId }) => updateWithBody(petId, '{"quantity":'),
  () => updateInventory(404_404_404n, 1),
];

/** Requests that are refused for their content do not give the key a fresh window, nor a part of one, nor one without end. */
export const limitSurvivesRefusals: Check = {
  id: 'limit-survives-refusals',
  title: 'A refused request neither renews the limit nor keeps it from renewing',
  judges: ['minute-limit-free', 'minute-limit-enterprise'],
  alsoJudges: ['limit-renews', ...RETRY_AFTER_JUDGES],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [...freeKeys(1, 2 * (FREE_LIMIT + MOST_AFTER_REFUSALS)), ...smallKeys(REFUSALS.length, 3)],
    pets: 1,
  },
  run: async (context) => {
    const pet = context.pet();
    const messages = REFUSALS.map((refusal) => refusal(pet));
    await useUpAroundRefusals(context, context.key(), messages);
    for (const [index, message] of messages.entries()) {
      const key = context.key(1 + index);
      // A window that begins with it ends as well.
      await context.send(message, { key });
      const refusal = await useUpAroundRefusals(context, key, [message]);
      await comeBackAsTold(context, key, refusal, cheapestRequest(context));
    }
  },
};

/**
 * Uses up a minute up to its last few requests, is refused otherwise, and goes on until the limit refuses.
 * @returns the last answer
 */
async function useUpAroundRefusals(
  context: CheckContext,
  key: Key,
  messages: readonly RequestMessage[],
): Promise<Exchange | undefined> {
  const most = planningLimits(key).perMinute;
  let last: Exchange | undefined;
  await againAtOtherPhase(context, async () => {
    const opening = await sendCheapest(context, key, most - LEFT);
    for (const message of messages) {
      await context.send(message, { key });
    }
    const closing = await sendUntilRefused(context, key, MOST_AFTER_REFUSALS);
    last = closing.at(-1);
    return opening + countAccepted(closing) > most;
  });
  return last;
}
