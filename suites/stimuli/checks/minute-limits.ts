import { isStrange } from '../provoking/ban-provocation.ts';
import { MINUTE_SECONDS, PLANS, type Plan, type PlanLimits } from '../../../contract/plans.ts';
import {
  acceptedMix,
  AGREED_LIMITS,
  type Burst,
  burstRequests,
  changingUpdate,
  useUpMinute,
} from '../provoking/burst.ts';
import { whyNoForms } from '../provoking/accepted-forms.ts';
import type { Check } from '../check.ts';
import { spanOfSeries } from '../provoking/other-phase.ts';
import { honourRetryAfter } from '../provoking/honour-retry-after.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  type RequestMessage,
  planningLimits,
  type Key,
  leastSecondsToWait,
  secondsToWait,
} from '../../oracle/index.ts';
import { type CheckContext, restoreIfChanged } from '../check-context.ts';
import { listInventory } from '../../target/index.ts';
import { cheapestRequest } from '../provoking/use-up.ts';
import { secondsTo } from './clock-edges.ts';
import { algorithmShown, readReset } from './window-algorithm.ts';

// A thousand requests one by one outlast a window on a slow target.
const ONE_BY_ONE_LIMIT = 120;

// `window-length` uses up another one with 25 s left, since code that divides time into minutes may err in a part of them.
const FIRST_HALF_SECONDS = 55;

// Of this plan the second minute is measured in real time: the first one shows when it ends.
const LOOKED_AT: Plan = 'pro';
// Seconds after the first request. If a window ends between two of them, the next one, which begins with the second, ends less
// than 58 s after the first. The last but one meets the end of a window from the first request, where an early Reset is past.
const LOOKS_SECONDS = [42, 48, 53, 54.8, 56.5, 58.8, 64.5];

// A configured key of this plan is refused once before it waits, so that a ban for who waits at once would show.
const WAITS_AT_ONCE: Plan = 'enterprise';

// A large configured key of this plan comes back with all that its minute grants, and nothing before that.
const RETURNS_TOGETHER: Plan = 'business';

// So many of them are announced of a large limit.
const LARGE_ATTEMPTS = 2;

function isSmall({ perMinute }: Pick<PlanLimits, 'perMinute'>): boolean {
  return perMinute <= ONE_BY_ONE_LIMIT;
}

/** What a minute grants a key of each plan, at once and one by one, and what comes after. */
export const minuteLimitChecks: readonly Check[] = PLANS.map((plan) => ({
  id: `minute-limit-${plan}`,
  takesForms: true,
  title: `A key of the ${plan} plan gets exactly its per-minute limit`,
  judges: [
    `minute-limit-${plan}`,
    'limit-over-spellings',
    'refusal-is-429',
    'limit-renews',
    'retry-after-honoured',
    'ban-only-after-continued',
    'refused-changes-nothing',
    'remaining-falls',
    'retry-after-plausible',
    ...(plan === LOOKED_AT ? (['window-algorithm'] as const) : []),
  ],
  alsoJudges: ['limit-under-concurrency'],
  needs: {
    profile: 'full',
    keys: [
      {
        plan,
        use: 'exhaust',
        requests: (limits) =>
          (isSmall(limits) ? 4 : LARGE_ATTEMPTS) * burstRequests(limits) +
          7 +
          (plan === LOOKED_AT ? 1 + LOOKS_SECONDS.length : 0),
        ...(plan === 'enterprise' ? { agree: AGREED_LIMITS } : {}),
      },
      {
        plan,
        use: 'exhaust',
        requests: (limits) => (isSmall(limits) ? 2 * burstRequests(limits) + 6 : 0),
        optional: true,
        ifSpared: true,
      },
    ],
    pets: 1,
    sharesPet: true,
    worksWithoutPets: true,
  },
  run: (context) => useUpMinutes(context, plan),
}));

async function useUpMinutes(context: CheckContext, plan: Plan): Promise<void> {
  const key = context.key();
  const began = context.now();
  const last = changingUpdate(context);
  const takesOneByOne = isSmall(planningLimits(key));
  const manner = takesOneByOne ? 'one by one' : 'concurrent';
  const messages = acceptedMix(context);
  const unknown = whyNoForms(context);
  if (unknown !== null) {
    context.notProvoked('limit-over-spellings', unknown);
  }
  if (context.fullControl && plan === LOOKED_AT) {
    await context.sleep(secondsTo(context, MINUTE_SECONDS, FIRST_HALF_SECONDS), 'the first half of a minute');
  }
  const goesOn = plan === LOOKED_AT && !context.fullControl && (await lookAtEnd(context, key));
  const endsOneByOne = plan === WAITS_AT_ONCE;
  const options = {
    manner,
    messages,
    goesOn,
    endsOneByOne,
    triesForms: plan === LOOKED_AT,
    ...(last === undefined ? {} : { last }),
  } as const;
  const first = await useUpMinute(context, key, options, takesOneByOne ? undefined : LARGE_ATTEMPTS);
  await Promise.all([
    !context.fullControl && plan === RETURNS_TOGETHER && !takesOneByOne
      ? useUpMinute(context, key, { ...options, alone: 0, endsOneByOne: true }, 1)
      : useUpFurther(context, { key, latest: first, messages, began }),
    ...(takesOneByOne ? [useUpOther(context, messages)] : []),
  ]);
}

/**
 * In real time, looks at what remains until a minute must be over, and where it shows if it ends too early; first in a list,
 * which shows that an update of so long ago is still kept.
 * @returns whether the last answer tells of the next minute
 */
async function lookAtEnd(context: CheckContext, key: Key): Promise<boolean> {
  const began = context.now();
  const limit = planningLimits(key).perMinute;
  const cheapest = cheapestRequest(context);
  let last = await context.send(changingUpdate(context) ?? cheapest, { key });
  const resets = [readReset(last, limit)];
  for (const [looked, seconds] of LOOKS_SECONDS.entries()) {
    if (rateLimitOf(last)?.limit !== limit) {
      return false;
    }
    const left = seconds - (context.now() - began) / 1000;
    await context.sleep(Math.max(0, left), `the end of a minute of ${key.label}`);
    last = await context.send(looked === 0 ? listInventory() : cheapest, { key });
    resets.push(readReset(last, limit));
  }
  const shown = algorithmShown(resets.slice(0, -1), resets.at(-1));
  if (shown === undefined) {
    const why = 'What X-RateLimit-Reset showed, and when, fits several kinds of windows.';
    context.notProvoked('window-algorithm', why);
  } else {
    context.observe('window-algorithm', shown);
  }
  return isAccepted(last);
}

interface Further {
  readonly key: Key;
  readonly latest: Burst;
  readonly messages: readonly RequestMessage[];
  readonly began: number;
}

/** Comes back when told to, and uses up a small limit again as soon as it may. */
async function useUpFurther(context: CheckContext, { key, latest, messages, began }: Further): Promise<void> {
  const asked = await askAmidWait(context, key, latest.refusal);
  const isBack = (asked !== null && isAccepted(asked)) || (await returnAfter(context, key, asked));
  if (isBack && !isSmall(planningLimits(key))) {
    await lookOnceForgotten(context, key, latest);
  }
  if (!isBack || !isSmall(planningLimits(key))) {
    return;
  }
  const update = changingUpdate(context);
  // The first update after the 429 is listed before the next one comes.
  const listed = update === undefined ? messages : [update, listInventory(), ...messages];
  // Windows that are too short show themselves by further rounds in less than a minute each.
  for (
    let round = 2;
    round === 2 || (round <= MOST_ROUNDS && secondsSince(context, began) < MINUTE_SECONDS * (round - 1));
    round += 1
  ) {
    const attempts = context.virtualTime ? undefined : 1;
    if (!context.fullControl) {
      await context.sleep(
        FORGOTTEN_SECONDS,
        `a minute of ${key.label} in which nothing counts of the one before`,
      );
    }
    const { refusal } = await useUpMinute(
      context,
      key,
      { manner: 'concurrent', messages: listed, alone: 2, endsOneByOne: true },
      attempts,
    );
    const wait = refusal === null ? undefined : leastSecondsToWait(refusal, context.clock);
    // An issued key is not used before, and nothing waits for it.
    const elapsed = key.issued ? secondsSince(context, began) : context.elapsedSeconds();
    const due = elapsed + (wait ?? MINUTE_SECONDS);
    const isLate = !context.virtualTime && due > LATEST_RETURN_SECONDS;
    if (isLate || !(await returnAfter(context, key, refusal))) {
      return;
    }
  }
}

// If another key went on with so many and was not banned for it, one or two are no risk.
const HARMLESS_REQUESTS = 8;

// In the midst of a shorter one, a window that slides may grant a request.
const LONG_WAIT_SECONDS = 20;

/**
 * In real time, asks in the midst of a long wait; once more if the answer is none that is due then.
 * @returns the last answer, whose wait counts from then on if it is a refusal; the refusal itself if it did not ask
 */
async function askAmidWait(
  context: CheckContext,
  key: Key,
  refusal: Exchange | null,
): Promise<Exchange | null> {
  const seconds = refusal === null ? undefined : secondsToWait(refusal, context.clock);
  const isLong = seconds !== undefined && seconds >= LONG_WAIT_SECONDS && seconds <= MINUTE_SECONDS;
  if (context.fullControl || !isLong || !isSmall(planningLimits(key))) {
    return refusal;
  }
  await context.sleep(seconds / 2, `the midst of the wait of ${key.label}`);
  if (context.mostEndured() < HARMLESS_REQUESTS) {
    return refusal;
  }
  const first = await context.send(listInventory(), { key });
  if (!isStrange(first)) {
    return first;
  }
  const second = await context.send(listInventory(), { key });
  return isStrange(second) ? refusal : second;
}

/** In real time, asks once more when no limiter counts what used up the minute, so that little is used for certain. */
async function lookOnceForgotten(context: CheckContext, key: Key, { exchanges }: Burst): Promise<void> {
  const due = MINUTE_SECONDS + FORGOTTEN_SECONDS - (context.now() - spanOfSeries(exchanges).to) / 1000;
  if (!context.fullControl && context.elapsedSeconds() + due <= LATEST_RETURN_SECONDS) {
    await context.sleep(Math.max(0, due), `what ${key.label} was granted to be forgotten`);
    await context.send(cheapestRequest(context), { key });
  }
}

// Far from what the other keys begin with, so that no phase of a sliding counter explains them all.
const OTHER_PHASE_SECONDS = 25;

/**
 * Uses up two minutes of another key of the plan, if there is one, at another phase of the minute. Nothing comes before the
 * burst that begins the second one.
 */
async function useUpOther(context: CheckContext, messages: readonly RequestMessage[]): Promise<void> {
  const [, key = null] = context.keys;
  if (key === null) {
    return;
  }
  await context.sleep(OTHER_PHASE_SECONDS, `another phase of the minute for ${key.label}`);
  const { refusal } = await useUpMinute(
    context,
    key,
    { manner: 'concurrent', messages, endsOneByOne: true },
    1,
  );
  if (refusal?.response.status === 429) {
    await useUpMinute(context, key, { manner: 'concurrent', messages, alone: 0, triesForms: true }, 1);
  }
}

// In real time nobody waits for a third window of a minute.
const LATEST_RETURN_SECONDS = 130;
const MOST_ROUNDS = 4;
// A sliding log of whole seconds forgets so late.
const FORGOTTEN_SECONDS = 2.5;

function secondsSince(context: CheckContext, began: number): number {
  return (context.now() - began) / 1000;
}

/** Comes back when told to. Returns whether it was let in. */
async function returnAfter(context: CheckContext, key: Key, refusal: Exchange | null): Promise<boolean> {
  const exchange = refusal === null ? null : await honourRetryAfter(context, key, refusal);
  if (exchange === null || !isAccepted(exchange)) {
    return false;
  }
  restoreIfChanged(context, context.pets[0], exchange);
  return true;
}
