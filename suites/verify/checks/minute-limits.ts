import { isStrange } from '../provoking/ban-provocation.ts';
import { MINUTE_SECONDS, type Plan, type PlanLimits } from '../../../contract/plans.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import {
  acceptedMix,
  AGREED_LIMITS,
  burstRequests,
  countAccepted,
  forbiddenUpdate,
  measureMinute,
  type Measurement,
} from '../provoking/burst.ts';
import { whyNoForms, type AcceptedForms } from '../provoking/accepted-forms.ts';
import type { Check } from '../check.ts';
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
import type { CheckContext } from '../check-context.ts';
import { listInventory } from '../../target/index.ts';
import { restoreIfChanged } from '../provoking/restore-if-changed.ts';
import { judgeUnlessResponsesLost } from '../provoking/lost-responses.ts';
import { checkAfter } from '../survey.ts';
import { cheapestRequest } from '../provoking/use-up.ts';
import { acceptedForms } from './observations.ts';
import { algorithmShown, readReset } from './window-algorithm.ts';

// A thousand requests one by one outlast a window on a slow target.
const ONE_BY_ONE_LIMIT = 120;

// Of this plan the second minute is measured in real time: the first one shows when it ends.
const LOOKED_AT: Plan = 'pro';
// Seconds after the first request. If a window ends between two of them, the next one, which begins with the second, ends less
// than 58 s after the first.
const LOOKS_SECONDS = [42, 48, 53, 54.8, 56.5, 64.5];

function isSmall({ perMinute }: Pick<PlanLimits, 'perMinute'>): boolean {
  return perMinute <= ONE_BY_ONE_LIMIT;
}

/** What a minute grants a key of each plan, at once and one by one, and what comes after. */
export const minuteLimitChecks: readonly Check[] = (['free', 'pro', 'business', 'enterprise'] as const).map(
  (plan) =>
    checkAfter({
      id: `minute-limit-${plan}`,
      after: acceptedForms,
      title: `A key of the ${plan} plan gets exactly its per-minute limit`,
      judges: [
        `minute-limit-${plan}`,
        'limit-under-concurrency',
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
      needs: {
        profile: 'full',
        keys: [
          {
            plan,
            use: 'exhaust',
            requests: (limits) =>
              (isSmall(limits) ? 4 : 2) * burstRequests(limits) +
              6 +
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
        worksWithoutPets: true,
      },
      run: (context, forms) => judgeMinute(context, plan, forms),
    }),
);

async function judgeMinute(context: CheckContext, plan: Plan, forms: AcceptedForms): Promise<void> {
  const key = context.key();
  const id = `minute-limit-${plan}` as const;
  const began = context.now();
  const acceptedBefore = key.usage.accepted;
  const last = forbiddenUpdate(context);
  const takesOneByOne = isSmall(planningLimits(key));
  const manner = takesOneByOne ? 'one by one' : 'concurrent';
  const messages = acceptedMix(context, forms);
  const goesOn = plan === LOOKED_AT && !context.virtualTime && (await lookAtEnd(context, key));
  const first = await measureMinute(context, key, {
    manner,
    messages,
    goesOn,
    ...(last === undefined ? {} : { last }),
  });
  judgeMeasurement(context, first, [id]);
  if (!takesOneByOne) {
    reportUnlessTooFew(context, first, ['limit-under-concurrency'], id);
  }
  if ('unknown' in forms) {
    context.skip('limit-over-spellings', whyNoForms(forms));
  } else {
    reportUnlessTooFew(context, first, ['limit-over-spellings'], id);
  }
  judgeRefusal(context, first);
  await Promise.all([
    judgeFurther(context, { key, id, latest: first, messages, began, acceptedBefore }),
    ...(takesOneByOne ? [judgeOther(context, id, messages)] : []),
  ]);
}

/**
 * In real time, looks at what remains until a minute must be over, and where it shows if it ends too early.
 * @returns whether the last answer tells of the next minute
 */
async function lookAtEnd(context: CheckContext, key: Key): Promise<boolean> {
  const began = context.now();
  const limit = planningLimits(key).perMinute;
  let last = await context.send(cheapestRequest(context), { key });
  const resets = [readReset(last, limit)];
  for (const seconds of LOOKS_SECONDS) {
    if (rateLimitOf(last)?.limit !== limit) {
      return false;
    }
    const left = seconds - (context.now() - began) / 1000;
    await context.sleep(Math.max(0, left), `the end of a minute of ${key.label}`);
    last = await context.send(cheapestRequest(context), { key });
    resets.push(readReset(last, limit));
  }
  const shown = algorithmShown(resets.slice(0, -1), resets.at(-1));
  if (shown === undefined) {
    const why = 'What X-RateLimit-Reset showed, and when, fits several kinds of windows.';
    context.skip('window-algorithm', why);
  } else {
    context.observe('window-algorithm', shown);
  }
  return isAccepted(last);
}

interface Further {
  readonly key: Key;
  readonly id: RequirementId;
  readonly latest: Measurement;
  readonly messages: readonly RequestMessage[];
  readonly began: number;
  readonly acceptedBefore: number;
}

/** Comes back when told to, and uses up a small limit again as soon as it may. */
async function judgeFurther(
  context: CheckContext,
  { key, id, latest, messages, began, acceptedBefore }: Further,
): Promise<void> {
  const asked = await askAmidWait(context, key, latest.burst.refusal);
  const isBack =
    (asked !== null && isAccepted(asked)) ||
    (await returnAfter(context, key, { burst: { ...latest.burst, refusal: asked } }));
  if (!isBack || !isSmall(planningLimits(key)) || !judgeRate(context, key, began, acceptedBefore)) {
    return;
  }
  // Windows that are too short show themselves by further rounds in less than a minute each.
  for (
    let round = 2;
    round === 2 || (round <= MOST_ROUNDS && secondsSince(context, began) < MINUTE_SECONDS * (round - 1));
    round += 1
  ) {
    const attempts = context.virtualTime ? undefined : 1;
    if (!context.virtualTime) {
      await context.sleep(
        FORGOTTEN_SECONDS,
        `a minute of ${key.label} in which nothing counts of the one before`,
      );
    }
    const next = await measureMinute(
      context,
      key,
      { manner: 'concurrent', messages, endsOneByOne: true },
      attempts,
    );
    // In real time the window of a sliding limiter may not be fresh yet, which shows as too few.
    if (context.virtualTime || next.burst.admission.kind !== 'under') {
      judgeMeasurement(context, next, [id]);
      // If as few were granted one by one, neither concurrency nor renewal is the cause.
      const reportFurther = latest.verdict === 'exact' ? judgeMeasurement : reportUnlessTooFew;
      reportFurther(context, next, ['limit-renews', 'limit-under-concurrency'], id);
      judgeRefusal(context, next);
    }
    const wait =
      next.burst.refusal === null ? undefined : leastSecondsToWait(next.burst.refusal, context.clock);
    const due = context.elapsedSeconds() + (wait ?? MINUTE_SECONDS);
    const isLate = !context.virtualTime && due > LATEST_RETURN_SECONDS;
    if (
      isLate ||
      !(await returnAfter(context, key, next)) ||
      !judgeRate(context, key, began, acceptedBefore)
    ) {
      return;
    }
  }
}

// If another key went on with so many and was not banned for it, one or two are no risk.
const HARMLESS_REQUESTS = 8;

// In the midst of a shorter one, a window that slides may grant a request.
const LONG_WAIT_SECONDS = 20;

/**
 * In real time, asks in the midst of a long wait, where another answer than 429 has to come twice to be no accident.
 * @returns the last answer, whose wait counts from then on if it is a refusal; the refusal itself if it did not ask
 */
async function askAmidWait(
  context: CheckContext,
  key: Key,
  refusal: Exchange | null,
): Promise<Exchange | null> {
  const seconds = refusal === null ? undefined : secondsToWait(refusal, context.clock);
  const isLong = seconds !== undefined && seconds >= LONG_WAIT_SECONDS && seconds <= MINUTE_SECONDS;
  if (context.virtualTime || !isLong || !isSmall(planningLimits(key))) {
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
  if (isStrange(second)) {
    context.fail(
      'refusal-is-429',
      `${key.label} had reached its limit, and was answered ${second.response.status} twice in the midst of its wait, not 429.`,
      second,
    );
    return refusal;
  }
  return second;
}

// Far from what the other keys begin with, so that no phase of a sliding counter explains them all.
const OTHER_PHASE_SECONDS = 25;

/** Measures twice what another key of the plan is granted, if there is one, at another phase of the minute. */
async function judgeOther(
  context: CheckContext,
  id: RequirementId,
  messages: readonly RequestMessage[],
): Promise<void> {
  const [, key = null] = context.keys;
  if (key === null) {
    return;
  }
  await context.sleep(OTHER_PHASE_SECONDS, `another phase of the minute for ${key.label}`);
  const first = await measureMinute(context, key, { manner: 'concurrent', messages }, 1);
  judgeOtherMeasurement(context, id, first);
  if (first.verdict === 'undecided' || !(await returnAfter(context, key, first))) {
    return;
  }
  await context.sleep(FORGOTTEN_SECONDS, `a fresh minute of ${key.label}`);
  const again = await measureMinute(context, key, { manner: 'concurrent', messages, endsOneByOne: true }, 1);
  // The window of a sliding limiter may not be fresh yet.
  if (again.burst.admission.kind !== 'under') {
    judgeOtherMeasurement(context, id, again);
  }
}

function judgeOtherMeasurement(context: CheckContext, id: RequirementId, measured: Measurement): void {
  if (measured.verdict !== 'undecided') {
    judgeMeasurement(context, measured, [id]);
    reportUnlessTooFew(context, measured, ['limit-under-concurrency'], id);
    judgeRefusal(context, measured);
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

/** Windows of a minute grant the limit once for each minute that has begun, and once more if they are aligned. */
function judgeRate(context: CheckContext, key: Key, began: number, acceptedBefore: number): boolean {
  const limit = planningLimits(key).perMinute;
  const seconds = secondsSince(context, began);
  const granted = key.usage.accepted - acceptedBefore;
  const most = limit * (Math.floor(seconds / MINUTE_SECONDS) + 2);
  return context.judge(
    'limit-renews',
    granted <= most,
    `${key.label} was granted ${granted} requests within ${Math.ceil(seconds)} s; windows of a minute grant ${most} at most.`,
  );
}

/** Records what was measured for each requirement that it bears on. */
export function judgeMeasurement(
  context: CheckContext,
  measurement: Measurement,
  ids: readonly RequirementId[],
): void {
  for (const id of ids) {
    if (measurement.verdict === 'undecided') {
      context.inconclusive(id, measurement.message, measurement.witness);
    } else {
      context.judge(id, measurement.verdict === 'exact', measurement.message, measurement.witness);
    }
  }
}

/** The same for requirements that only speak of too many: too few is a violation of the limit itself. */
function reportUnlessTooFew(
  context: CheckContext,
  measurement: Measurement,
  ids: readonly RequirementId[],
  limit: RequirementId,
): void {
  if (measurement.verdict !== 'under') {
    judgeMeasurement(context, measurement, ids);
    return;
  }
  for (const id of ids) {
    context.inconclusive(id, `${measurement.message} That is judged by ${limit}.`, measurement.witness);
  }
}

/** What comes beyond the limit is a 429. */
function judgeRefusal(context: CheckContext, { burst }: Measurement): void {
  const refusals = burst.exchanges.filter((exchange) => !isAccepted(exchange));
  judgePlausibility(context, refusals);
  const is429 = refusals.some(({ response }) => response.status === 429);
  const granted = countAccepted(burst.exchanges);
  const perMinute = planningLimits(keyOf(context, refusals[0]?.key ?? null)).perMinute;
  // Below the limit, a request that was never granted may be refused for what it asks.
  const first = refusals.find(
    ({ request }) =>
      is429 ||
      granted >= perMinute ||
      burst.exchanges.some((other) => isAccepted(other) && asksTheSame(other.request, request)),
  );
  if (first === undefined) {
    return;
  }
  const { method, path } = first.request;
  const { status } = first.response;
  // A key that is never served is judged by list-succeeds, and one that is refused below its limit by valid-key-accepted.
  if (is429 || granted >= perMinute || (granted > 0 && status !== 401 && status !== 403)) {
    const when =
      granted >= perMinute ? 'beyond the limit' : `after ${granted} of ${perMinute} requests were granted`;
    const message = `${method} ${path} ${when} was answered ${status}, not 429.`;
    // The 429 that a ban followed may be among the lost responses.
    judgeUnlessResponsesLost(
      context,
      context.key().usage.lostResponses,
      'refusal-is-429',
      is429,
      message,
      first,
    );
  }
}

function asksTheSame(one: Exchange['request'], other: Exchange['request']): boolean {
  return one.method === other.method && one.path === other.path && one.body === other.body;
}

// A minute, and what a sliding counter adds.
const PLAUSIBLE_WAIT_SECONDS = 65;

/** Of refusals at once, the one that the server came to first speaks of the minute; further ones may speak of a ban. */
function judgePlausibility(context: CheckContext, refusals: readonly Exchange[]): void {
  const waits = refusals
    .filter(({ response }) => response.status === 429)
    .flatMap((refusal) => {
      const seconds = leastSecondsToWait(refusal, context.clock);
      return seconds === undefined ? [] : [{ refusal, seconds }];
    })
    .toSorted((one, other) => one.seconds - other.seconds);
  const [shortest] = waits;
  if (shortest !== undefined) {
    context.judge(
      'retry-after-plausible',
      shortest.seconds <= PLAUSIBLE_WAIT_SECONDS,
      `Retry-After asks for ${Math.ceil(shortest.seconds)} s, though the limit of a minute was reached.`,
      shortest.refusal,
    );
  }
}

function keyOf(context: CheckContext, label: string | null): Key {
  return context.keys.find((key) => key?.label === label) ?? context.key();
}

/** Comes back when told to. Returns whether it was let in. */
async function returnAfter(
  context: CheckContext,
  key: Key,
  { burst }: Pick<Measurement, 'burst'>,
): Promise<boolean> {
  if (burst.refusal === null) {
    return false;
  }
  const exchange = await honourRetryAfter(context, key, burst.refusal);
  if (exchange === null || !isAccepted(exchange)) {
    return false;
  }
  restoreIfChanged(context, context.pets[0], exchange);
  return true;
}
