import {
  DAY_SECONDS,
  MINUTE_SECONDS,
  PLAN_LIMITS,
  PLANS,
  type Plan,
  type PlanLimits,
} from '../../../contract/plans.ts';
import {
  acceptedMix,
  AGREED_LIMITS,
  countAccepted,
  changingUpdate,
  takeInTurns,
} from '../provoking/burst.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import { type KeyNeed, listInventory } from '../../target/index.ts';
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
import { comeBackAsTold, RETRY_AFTER_JUDGES } from '../provoking/honour-retry-after.ts';
import { type CheckContext, restoreIfChanged } from '../check-context.ts';
import { againLater, restOfDay } from '../provoking/other-phase.ts';
import { sendUntilRefused } from '../provoking/use-up.ts';

const LEFT_TODAY = 6;
const REQUESTS = LEFT_TODAY + 10;
const KEYS_BEYOND = 9;
const REQUESTS_BEYOND = 2;
// A minute, and more than an hour; together less than half a day.
const EARLY_SECONDS = [70, 2 * 3_600];
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
export const dayLimitChecks: readonly Check[] = PLANS.map((plan) => ({
  id: `day-limit-${plan}`,
  takesForms: true,
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
    ...needsOfIssuedKeys([keyOf(plan, 2 * REQUESTS + 2 * KEYS_BEYOND * REQUESTS_BEYOND, () => LEFT_TODAY)]),
    control: ['keys'],
  },
  run: async (context) => {
    await useUpDays(context, plan, acceptedMix(context));
    // A day that is aligned to the clock may just have ended; not so half a day later.
    await againLater(context, HALF_A_DAY_SECONDS, () => isOneGrantedBeyond(context, plan));
  },
}));

/** Uses up the day of one key, tries it again within the day, and once more when the day is over. */
async function useUpDays(context: CheckContext, plan: Plan, mix: readonly RequestMessage[]): Promise<void> {
  const first = context.key();
  if (!(await useUpDay(context, plan, first, mix)) || !context.virtualTime) {
    return;
  }
  if (await isLetInEarly(context, first)) {
    // A day that is aligned to the clock may have ended meanwhile, but not for both keys.
    await context.sleep(HALF_A_DAY_SECONDS, 'another time of the day');
    const second = await context.issue(keyOf(plan, REQUESTS, () => LEFT_TODAY));
    if (await useUpDay(context, plan, second, mix)) {
      await isLetInEarly(context, second);
    }
    return;
  }
  const answer = await context.send(changingUpdate(context) ?? listInventory(), { key: first });
  await comeBackAsTold(context, first, answer);
  await context.sleep(TWO_DAYS_SECONDS, 'a fresh day');
  // The early probe may have led to a ban of any length.
  const mayBeBanned = context.mayBeBanned(first);
  let fresh = await context.send(listInventory(), { key: first });
  const ban = isAccepted(fresh) || !mayBeBanned ? undefined : secondsToWait(fresh, context.clock);
  if (ban !== undefined) {
    await context.sleep(ban + 1, `the end of a ban of ${first.label}`);
    fresh = await context.send(listInventory(), { key: first });
  }
  restoreIfChanged(context, context.pets[0], fresh);
}

/** Several keys have one request left: as not each request beyond the day may be refused, each tries one. */
async function isOneGrantedBeyond(context: CheckContext, plan: Plan): Promise<boolean> {
  for (let count = 0; count < KEYS_BEYOND; count += 1) {
    const key = await context.issue(keyOf(plan, REQUESTS_BEYOND, () => 1));
    const within = await context.send(listInventory(), { key });
    // What a connection begins with may be let pass.
    const beyond = await context.send(listInventory(), { key }, count % 2 === 0 ? 1 : 'new');
    if (isAccepted(within) && isAccepted(beyond)) {
      return true;
    }
  }
  return false;
}

/** Sends until the day is used up. @returns whether the key was refused by 429 then */
async function useUpDay(
  context: CheckContext,
  plan: Plan,
  first: Key,
  mix: readonly RequestMessage[],
): Promise<boolean> {
  let key = first;
  let answers = await sendUntilRefused(context, key, LEFT_TODAY + 3, mix);
  if (countAccepted(answers) > LEFT_TODAY) {
    // A day that is aligned to the clock may have ended since the key was issued; not so half a day later.
    await restOfDay(context, HALF_A_DAY_SECONDS);
    key = await context.issue(keyOf(plan, REQUESTS, () => LEFT_TODAY));
    answers = await sendUntilRefused(context, key, LEFT_TODAY + 3, mix);
  }
  const refusal = answers.at(-1);
  if (refusal === undefined || isAccepted(refusal)) {
    return false;
  }
  observeHeaders(context, key, refusal);
  return refusal.response.status === 429;
}

function observeHeaders(context: CheckContext, key: Key, refusal: Exchange): void {
  const limit = rateLimitOf(refusal)?.limit;
  const { perDay, perMinute } = planningLimits(key);
  context.observe(
    'headers-when-day-binds',
    limit === perDay ? 'day' : limit === perMinute ? 'minute' : 'neither',
  );
}

/** Whether a request is granted before the end of the day that the target named. */
async function isLetInEarly(context: CheckContext, key: Key): Promise<boolean> {
  for (const seconds of EARLY_SECONDS) {
    const wait = (key.usage.retryAt - context.now()) / 1000;
    if (wait < 2 * seconds) {
      return false;
    }
    await context.sleep(seconds, 'some of the day that is used up');
    if (isAccepted(await context.send(listInventory(), { key }))) {
      return true;
    }
  }
  return false;
}

const BEYOND = 10;
const REFUSED = 5;
const { perMinute: FREE_MINUTE } = PLAN_LIMITS.free;

const ACROSS_MINUTES = keyOf('free', 2 * (FREE_MINUTE + BEYOND + 8), (limits) => limits.perMinute + BEYOND);

/** The day goes on counting when minutes renew. */
export const dayAcrossMinutes: Check = {
  id: 'day-across-minutes',
  takesForms: true,
  title: 'The day limit counts over minutes, bursts and operations',
  judges: ['day-limit-free'],
  needs: needsOfIssuedKeys([ACROSS_MINUTES]),
  run: async (context) => {
    const mix = acceptedMix(context);
    // A day that is aligned to the clock may have ended meanwhile; not so half a day later.
    await againLater(context, HALF_A_DAY_SECONDS, async (isAgain) => {
      const key = isAgain ? await context.issue(ACROSS_MINUTES) : context.key();
      return (await useAcrossMinutes(context, key, mix)) > FREE_MINUTE + BEYOND;
    });
  },
};

/** @returns how many requests were granted */
async function useAcrossMinutes(
  context: CheckContext,
  key: Key,
  mix: readonly RequestMessage[],
): Promise<number> {
  const first = await context.sendAll(takeInTurns(mix, FREE_MINUTE), key, 16);
  // What the minute refuses does not forgive what the day has counted.
  await context.send(listInventory(), { key });
  await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh minute');
  const second: Exchange[] = [];
  // Several beyond the day, since not each of them may be refused.
  for (const message of takeInTurns(mix, BEYOND + REFUSED)) {
    second.push(await context.send(message, { key }));
  }
  return countAccepted([...first, ...second]);
}

/** The whole day of a Free key in real time: a thousand requests at sixty a minute. */
export const wholeDay: Check = {
  id: 'whole-day',
  title: 'A Free key is granted a thousand requests a day, in real time',
  judges: ['day-limit-free'],
  needs: {
    profile: 'full',
    keys: [{ plan: 'free', use: 'exhaust', requests: (limits) => 2 * limits.perDay + 40 }],
    long: true,
    realTimeOnly: true,
  },
  run: async (context) => {
    const key = context.key();
    const { perDay } = planningLimits(key);
    // A day may end meanwhile, but not two.
    for (let sent = key.usage.accepted; sent < 2 * perDay + REFUSED; sent += 1) {
      const exchange = await context.send(listInventory(), { key });
      const wait = isAccepted(exchange) ? 0 : (secondsToWait(exchange, context.clock) ?? MINUTE_SECONDS);
      if (wait > TWO_WINDOWS_SECONDS) {
        break;
      }
      if (wait > 0) {
        await context.sleep(
          wait,
          `Retry-After of ${key.label}, ${key.usage.accepted} of ${perDay} requests granted`,
        );
      }
    }
    if (key.usage.accepted < perDay) {
      context.leftOpen(
        'day-limit-free',
        `${key.label} was refused for the rest of the day after ${key.usage.accepted} of ${perDay} requests; it may have been used before this run.`,
      );
    }
  },
};
