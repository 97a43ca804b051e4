import { BAN_STATUSES } from '../../../contract/bans.ts';
import { DAY_SECONDS, PLAN_LIMITS, type Plan, type PlanLimits } from '../../../contract/plans.ts';
import { acceptedMix, AGREED_LIMITS, countAccepted } from '../provoking/burst.ts';
import type { Check } from '../check.ts';
import { distinctQuantity, type KeyNeed, listInventory, updateInventory } from '../../target/index.ts';
import {
  secondsToWait,
  isAccepted,
  rateLimitOf,
  type Exchange,
  type RequestMessage,
  planningLimits,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { honourRetryAfter, RETRY_AFTER_JUDGES } from '../provoking/honour-retry-after.ts';
import { Undecided, type CheckContext } from '../check-context.ts';
import { checkAfter } from '../survey.ts';
import { judgeGranted, judgeUnlessResponsesLost } from '../provoking/lost-responses.ts';
import { restoreIfChanged } from '../provoking/restore-if-changed.ts';
import { acceptedForms } from './observations.ts';

const LEFT_TODAY = 6;
const REQUESTS = LEFT_TODAY + 10;
const KEYS_BEYOND = 9;
const REQUESTS_BEYOND = 2;
// A minute, and more than an hour; together less than half a day.
const EARLY_SECONDS = [70, 2 * 3_600];
const LONGEST_BAN_SECONDS = 31 * DAY_SECONDS;
const HALF_A_DAY_SECONDS = 12 * 3_600;
const TWO_DAYS_SECONDS = 2 * DAY_SECONDS;

function keyOf(plan: Plan, requests: number, left: (limits: PlanLimits) => number): KeyNeed {
  return {
    plan,
    use: 'exhaust',
    requests,
    usedToday: (limits) => limits.perDay - left(limits),
    ...(plan === 'enterprise' ? { agree: AGREED_LIMITS } : {}),
  };
}

/** What a day grants a key of each plan that has almost used it up. */
export const dayLimitChecks: readonly Check[] = (['free', 'pro', 'business', 'enterprise'] as const).map(
  (plan) =>
    checkAfter({
      id: `day-limit-${plan}`,
      after: acceptedForms,
      title: `A key of the ${plan} plan gets exactly its daily limit`,
      judges: [
        `day-limit-${plan}`,
        'remaining-falls',
        'retry-after-honoured',
        'headers-when-day-binds',
        'refusal-is-429',
        'refused-changes-nothing',
      ],
      alsoJudges: RETRY_AFTER_JUDGES,
      needs: {
        profile: 'full',
        control: ['keys', 'clock'],
        keys: [keyOf(plan, 2 * REQUESTS + 2 * KEYS_BEYOND * REQUESTS_BEYOND, () => LEFT_TODAY)],
        pets: 1,
        worksWithoutPets: true,
      },
      run: async (context, forms) => {
        await judgeDay(context, plan, acceptedMix(context, forms));
        await judgeBeyond(context, plan);
      },
    }),
);

/** Uses up the day of one key, tries it again within the day, and once more when the day is over. */
async function judgeDay(context: CheckContext, plan: Plan, mix: readonly RequestMessage[]): Promise<void> {
  const first = context.key();
  const id = `day-limit-${plan}` as const;
  const refusal = await useUpDay(context, first, id, mix);
  if (refusal === null) {
    return;
  }
  const early = await isLetInEarly(context, first);
  if (early !== null) {
    // A day that is aligned to the clock may have ended meanwhile, but not for both keys.
    await context.sleep(HALF_A_DAY_SECONDS, 'another time of the day');
    const second = await context.issue(keyOf(plan, REQUESTS, () => LEFT_TODAY));
    await useUpDay(context, second, id, mix);
    const again = await isLetInEarly(context, second);
    context.judge(
      id,
      again === null,
      `${first.label} and ${second.label} had used up their day, and were granted more within hours.`,
      again ?? early,
    );
    return;
  }
  context.judge(id, true, '');
  const [pet] = context.pets;
  const attempted = pet === undefined ? 0 : distinctQuantity(pet);
  const beyond = pet === undefined ? listInventory() : updateInventory(pet.petId, attempted);
  const answer = await context.send(beyond, { key: first });
  const back = answer.response.status === 429 ? await honourRetryAfter(context, first, answer) : null;
  if (back !== null && isAccepted(back)) {
    context.judge(id, true, '');
  }
  await context.sleep(TWO_DAYS_SECONDS, 'a fresh day');
  // The early probe may have led to a ban of any length.
  const mayBeBanned = context.mayBeBanned(first);
  let fresh = await context.send(listInventory(), { key: first });
  const ban = isAccepted(fresh) || !mayBeBanned ? undefined : secondsToWait(fresh, context.clock);
  if (ban !== undefined) {
    await context.sleep(Math.min(ban, LONGEST_BAN_SECONDS) + 1, `the end of a ban of ${first.label}`);
    fresh = await context.send(listInventory(), { key: first });
  }
  restoreIfChanged(context, pet, fresh);
  const isUnclear = mayBeBanned && [401, 403].includes(fresh.response.status);
  if (!isUnclear) {
    context.judge(
      id,
      isAccepted(fresh),
      `${first.label} had used up its day, rested two days, and was answered ${fresh.response.status}.`,
      fresh,
    );
  }
}

/** Several keys have one request left: as not each request beyond the day may be refused, each tries one. */
async function judgeBeyond(context: CheckContext, plan: Plan): Promise<void> {
  const granted = await findGrantedBeyond(context, plan);
  if (granted === null) {
    return;
  }
  // A day that is aligned to the clock may just have ended; not so half a day later.
  await context.sleep(HALF_A_DAY_SECONDS, 'another time of the day');
  const again = await findGrantedBeyond(context, plan);
  context.judge(
    `day-limit-${plan}`,
    again === null,
    `${granted.key} and ${again?.key} had one request left today, and were granted two.`,
    again ?? granted,
  );
}

async function findGrantedBeyond(context: CheckContext, plan: Plan): Promise<Exchange | null> {
  for (let count = 0; count < KEYS_BEYOND; count += 1) {
    const key = await context.issue(keyOf(plan, REQUESTS_BEYOND, () => 1));
    const within = await context.send(listInventory(), { key });
    const beyond = await context.send(listInventory(), { key });
    if (isAccepted(within) && isAccepted(beyond)) {
      return beyond;
    }
  }
  return null;
}

/** Sends until the day is used up, and judges how many requests were granted. Returns the refusal. */
async function useUpDay(
  context: CheckContext,
  key: Key,
  id: `day-limit-${Plan}`,
  mix: readonly RequestMessage[],
  mayRepeat = true,
): Promise<Exchange | null> {
  const exchanges: Exchange[] = [];
  for (let sent = 0; sent < LEFT_TODAY + 3; sent += 1) {
    const exchange = await context.send(mix[sent % mix.length] ?? listInventory(), { key });
    exchanges.push(exchange);
    if (!isAccepted(exchange)) {
      break;
    }
  }
  const granted = countAccepted(exchanges);
  const last = exchanges.at(-1);
  const { perDay } = planningLimits(key);
  if (granted > LEFT_TODAY && mayRepeat) {
    // A day that is aligned to the clock may have ended since the key was issued; not so half a day later.
    await context.sleep(HALF_A_DAY_SECONDS, 'another time of the day');
    const another = await context.issue(keyOf(key.plan, REQUESTS, () => LEFT_TODAY));
    await useUpDay(context, another, id, mix, false);
    return null;
  }
  if (granted < LEFT_TODAY && last !== undefined && !BAN_STATUSES.has(last.response.status)) {
    context.inconclusive(
      id,
      `${key.label} had ${LEFT_TODAY} of ${perDay} requests left today, was granted ${granted}, and was then answered ${last.response.status}, which is no answer of a limit.`,
      last,
    );
    return null;
  }
  judgeGranted(
    context,
    { granted, due: LEFT_TODAY, lostResponses: key.usage.lostResponses },
    id,
    `${key.label} had ${LEFT_TODAY} of ${perDay} requests left today, and was granted ${granted === LEFT_TODAY + 3 ? `${granted} and more` : granted}.`,
    last,
  );
  if (last === undefined || isAccepted(last)) {
    return null;
  }
  if (granted >= LEFT_TODAY) {
    judgeUnlessResponsesLost(
      context,
      key.usage.lostResponses,
      'refusal-is-429',
      last.response.status === 429,
      `Beyond the day's limit the answer was ${last.response.status}, not 429.`,
      last,
    );
  }
  observeHeaders(context, key, last);
  return last.response.status === 429 ? last : null;
}

function observeHeaders(context: CheckContext, key: Key, refusal: Exchange): void {
  const limit = rateLimitOf(refusal)?.limit;
  const { perDay, perMinute } = planningLimits(key);
  context.observe(
    'headers-when-day-binds',
    limit === perDay ? 'day' : limit === perMinute ? 'minute' : 'neither',
  );
}

/** Whether a request is granted before the end of the day that the target told. */
async function isLetInEarly(context: CheckContext, key: Key): Promise<Exchange | null> {
  for (const seconds of EARLY_SECONDS) {
    const wait = (key.usage.retryAt - context.now()) / 1000;
    if (wait < 2 * seconds) {
      return null;
    }
    await context.sleep(seconds, 'some of the day that is used up');
    const exchange = await context.send(listInventory(), { key });
    if (isAccepted(exchange)) {
      return exchange;
    }
  }
  return null;
}

const BEYOND = 10;
const REFUSED = 5;
const { perMinute: FREE_MINUTE } = PLAN_LIMITS.free;

const ACROSS_MINUTES = keyOf('free', 2 * (FREE_MINUTE + BEYOND + 8), (limits) => limits.perMinute + BEYOND);

/** The day goes on counting when minutes renew. */
export const dayAcrossMinutes = checkAfter({
  id: 'day-across-minutes',
  after: acceptedForms,
  title: 'The day limit counts over minutes, bursts and operations',
  judges: ['day-limit-free'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [ACROSS_MINUTES],
    pets: 1,
    worksWithoutPets: true,
  },
  run: (context, forms) => judgeAcrossMinutes(context, context.key(), acceptedMix(context, forms)),
});

async function judgeAcrossMinutes(
  context: CheckContext,
  key: Key,
  mix: readonly RequestMessage[],
  mayRepeat = true,
): Promise<void> {
  const burst = Array.from({ length: FREE_MINUTE }, (_, index) => mix[index % mix.length] ?? listInventory());
  const first = await context.sendAll(burst, key, 16);
  // What the minute refuses does not forgive what the day has counted.
  const refused = await context.send(listInventory(), { key });
  await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh minute');
  const second: Exchange[] = [];
  // Several beyond the day, since not each of them may be refused.
  for (let sent = 0; sent < BEYOND + REFUSED; sent += 1) {
    second.push(await context.send(mix[sent % mix.length] ?? listInventory(), { key }));
  }
  const all = [...first, refused, ...second];
  const granted = countAccepted(all);
  const open = all.filter((one) => !isAccepted(one) && !BAN_STATUSES.has(one.response.status)).length;
  // It may count on the day itself.
  const due = FREE_MINUTE + BEYOND - (granted === FREE_MINUTE + BEYOND - 1 ? 1 : 0);
  if (granted > due && mayRepeat) {
    await context.sleep(HALF_A_DAY_SECONDS, 'another time of the day');
    await judgeAcrossMinutes(context, await context.issue(ACROSS_MINUTES), mix, false);
    return;
  }
  const [opening] = second;
  if (opening !== undefined && !isAccepted(opening)) {
    context.inconclusive(
      'day-limit-free',
      `${key.label} was answered ${opening.response.status} at the first request of a fresh minute, with ${FREE_MINUTE + BEYOND - countAccepted(first)} requests left today; this need not be the day's limit.`,
      opening,
    );
    return;
  }
  judgeGranted(
    context,
    // What was answered otherwise may have counted as well.
    { granted, due, lostResponses: key.usage.lostResponses + open },
    'day-limit-free',
    `${key.label} had ${FREE_MINUTE + BEYOND} of ${planningLimits(key).perDay} requests left today, and was granted ${granted} in two separate minutes.`,
    second.at(-1),
  );
}

/** The whole day of a Free key in real time: a thousand requests at sixty a minute. */
export const wholeDay: Check = {
  id: 'whole-day',
  title: 'A Free key is granted a thousand requests a day, in real time',
  judges: ['day-limit-free'],
  needs: {
    profile: 'full',
    keys: [{ plan: 'free', use: 'exhaust', requests: (limits) => limits.perDay + 40 }],
    long: true,
    realTimeOnly: true,
  },
  run: async (context) => {
    const key = context.key();
    const { perDay } = planningLimits(key);
    const usedBefore = key.usage.accepted;
    let granted = usedBefore;
    for (let sent = 0; sent < perDay + 30; sent += 1) {
      const exchange = await context.send(listInventory(), { key });
      if (isAccepted(exchange)) {
        granted += 1;
        if (granted > perDay) {
          context.fail(
            'day-limit-free',
            `${key.label} was granted ${granted} requests today; its plan grants ${perDay}.`,
            exchange,
          );
          return;
        }
      } else if (exchange.response.status === 429) {
        const wait = secondsToWait(exchange, context.clock) ?? 60;
        if (granted === perDay) {
          context.judge('day-limit-free', true, '');
          return;
        }
        if (wait > 120) {
          context.inconclusive(
            'day-limit-free',
            `${key.label} was refused for the rest of the day after ${granted} of ${perDay} requests; it may have been used before this run.`,
            exchange,
          );
          return;
        }
        await context.sleep(wait, `Retry-After of ${key.label}, ${granted} of ${perDay} requests granted`);
      }
    }
    throw new Undecided(`${key.label} was neither granted ${perDay} requests nor refused for the day.`);
  },
};
