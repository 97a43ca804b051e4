import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { inAcceptedForms, whyNoForms } from '../provoking/accepted-forms.ts';
import { countAccepted } from '../provoking/burst.ts';
import type { Check } from '../check.ts';
import { CREDENTIAL_SPELLINGS, spelled, type CredentialSpelling } from '../provoking/credential-spellings.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  type RequestMessage,
  haveCommonBoundary,
  mostRoomMade,
  planningLimits,
  secondsUntilOtherPhase,
  spanOfSeries,
  type Key,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import {
  listInventory,
  listOrders,
  getPet,
  updateInventory,
  updateWithBody,
  type Pet,
} from '../../target/index.ts';
import { checkAfter } from '../survey.ts';
import { judgeUnlessResponsesLost } from '../provoking/lost-responses.ts';
import { sendBeyondLimit, type Escape } from '../provoking/send-beyond-limit.ts';
import { cheapestRequest, FREE_LIMIT, freeKeys, smallKeys } from '../provoking/use-up.ts';
import { acceptedForms } from './observations.ts';

const FORMS = 17;

/** Each operation and each accepted spelling is the first request beyond the limit once. */
export const limitOverForms = checkAfter({
  id: 'limit-over-forms',
  after: acceptedForms,
  title: 'No operation and no spelling of a path escapes a limit that is reached',
  judges: ['limit-over-spellings', 'refusal-is-429'],
  needs: {
    profile: 'full',
    control: ['keys'],
    keys: smallKeys(FORMS, 2),
    pets: 1,
  },
  run: async (context, accepted) => {
    const pet = context.pet();
    const others = [getPet(pet.petId), listOrders()];
    const messages = [
      listInventory(),
      updateInventory(pet.petId, Number(pet.item.quantity) + 1),
      ...others,
      ...inAcceptedForms(accepted, pet).filter(({ path }) => others.every((other) => other.path !== path)),
    ];
    if ('unknown' in accepted) {
      context.inconclusive('limit-over-spellings', whyNoForms(accepted));
    }
    for (const [index, message] of messages.slice(0, FORMS).entries()) {
      const key = context.keys[index];
      if (key !== undefined && key !== null) {
        const { exchange, since, escape } = await sendBeyondLimit(context, key, message);
        const { status } = exchange.response;
        const what = `${message.method} ${message.path}`;
        judgeEscape(context, escape, exchange, `${what} was granted (${status}) to ${key.label}`);
        await judgeSpelledKey(context, key, since, CREDENTIAL_SPELLINGS[index]);
        if (message.operation !== null && !isAccepted(exchange)) {
          judgeUnlessResponsesLost(
            context,
            key.usage.lostResponses,
            'refusal-is-429',
            status === 429,
            `${what} beyond the limit was answered ${status}, not 429.`,
            exchange,
          );
        }
      }
    }
  },
});

function judgeEscape(context: CheckContext, escape: Escape, exchange: Exchange, what: string): void {
  const text = `${what} when its limit was reached.`;
  if (escape === 'possible') {
    const why = 'So much time passed that a window may have ended or slid meanwhile.';
    context.inconclusive('limit-over-spellings', `${text} ${why}`, exchange);
    return;
  }
  context.judge('limit-over-spellings', escape === 'none', text, exchange);
}

/** Another spelling of the key is the same key, if the target accepts it. */
async function judgeSpelledKey(
  context: CheckContext,
  key: Key,
  since: number,
  spelling: CredentialSpelling | undefined,
): Promise<void> {
  if (spelling === undefined) {
    return;
  }
  const exchange = await context.send(cheapestRequest(context), spelled(key, spelling));
  // If a window ended in between, the plain spelling is granted, too.
  const isEscape = isAccepted(exchange) && !(await hasRoomAgain(context, key));
  const slid = mostRoomMade(planningLimits(key).perMinute, (exchange.receivedAt - since) / 1000);
  const escape = !isEscape ? 'none' : slid > 0 ? 'possible' : 'proven';
  const { status } = exchange.response;
  const what = `A request with the key spelled otherwise (${spelling.name}) was granted (${status}) to ${key.label}`;
  judgeEscape(context, escape, exchange, what);
}

/** Whether a request that is certainly counted is granted. */
async function hasRoomAgain(context: CheckContext, key: Key): Promise<boolean> {
  return isAccepted(await context.send(cheapestRequest(context), { key }));
}

// What the opening leaves of the limit: refusals may count or not.
const LEFT = 4;
const MOST_AFTER_REFUSALS = LEFT + 2;

/** Ways to be refused for the content of a request. */
const REFUSALS: readonly ((pet: Pet) => RequestMessage)[] = [
  ({ petId }) => updateWithBody(petId, '{}'),
  ({ petId }) => updateWithBody(petId, '{"quantity":'),
  () => updateInventory(404_404_404n, 1),
];

/** Requests that are refused for their content do not give the key a fresh window, nor a part of one. */
export const limitSurvivesRefusals: Check = {
  id: 'limit-survives-refusals',
  title: 'A refused request does not renew the limit',
  judges: ['minute-limit-free', 'minute-limit-enterprise'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [...freeKeys(1, 2 * (FREE_LIMIT + MOST_AFTER_REFUSALS)), ...smallKeys(REFUSALS.length, 2)],
    pets: 1,
  },
  run: async (context) => {
    const pet = context.pet();
    const [free, ...small] = context.keys.filter((key) => key !== null);
    const all = REFUSALS.map((refusal) => refusal(pet));
    if (free !== undefined) {
      await judgeRefusals(context, free, 'minute-limit-free', all);
    }
    for (const [index, key] of small.entries()) {
      await judgeRefusals(context, key, 'minute-limit-enterprise', all.slice(index, index + 1));
    }
  },
};

async function judgeRefusals(
  context: CheckContext,
  key: Key,
  id: 'minute-limit-free' | 'minute-limit-enterprise',
  messages: readonly RequestMessage[],
): Promise<void> {
  const most = planningLimits(key).perMinute;
  let series = await useUpAroundRefusals(context, key, messages);
  if (series.granted > most && hasMoved([...series.opening, ...series.closing])) {
    const { span } = series;
    const seconds = secondsUntilOtherPhase([span], context.now(), 2);
    await context.sleep(seconds, 'another phase of the window');
    series = await useUpAroundRefusals(context, key, messages);
    if (series.granted > most && (hasMoved(series.opening) || haveCommonBoundary([span, series.span]))) {
      // If Reset moves with every series, something else than the refusals may move it.
      return;
    }
  }
  context.judge(
    id,
    series.granted <= most,
    `${key.label} was granted ${series.granted} requests, more than its minute's limit, with ${series.refusals.length} in between that were answered ${describeStatuses(series.refusals)}.`,
    series.closing.at(-1),
  );
}

/** Uses up a minute up to its last few requests, is refused otherwise, and goes on until the limit refuses. */
async function useUpAroundRefusals(context: CheckContext, key: Key, messages: readonly RequestMessage[]) {
  const most = planningLimits(key).perMinute;
  const opening = await context.sendAll(
    Array.from({ length: most - LEFT }, () => cheapestRequest(context)),
    key,
    16,
  );
  const refusals: Exchange[] = [];
  for (const message of messages) {
    refusals.push(await context.send(message, { key }));
  }
  const closing: Exchange[] = [];
  do {
    closing.push(await context.send(cheapestRequest(context), { key }));
  } while (closing.length < MOST_AFTER_REFUSALS && closing.every(isAccepted));
  const span = spanOfSeries([...opening, ...closing]);
  return { opening, refusals, closing, span, granted: countAccepted([...opening, ...closing]) };
}

/** Whether a window ended within a series, as X-RateLimit-Reset shows it. */
function hasMoved(exchanges: readonly Exchange[]): boolean {
  const resets = exchanges.filter(isAccepted).flatMap((exchange) => rateLimitOf(exchange)?.reset ?? []);
  return Math.max(...resets) - Math.min(...resets) > MINUTE_SECONDS / 2;
}

function describeStatuses(exchanges: readonly Exchange[]): string {
  return exchanges.map(({ response }) => response.status).join(', ');
}
