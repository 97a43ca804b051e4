import { DAY_SECONDS, MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import { acceptedMix, countAccepted, measureMinute, type Measurement } from '../provoking/burst.ts';
import type { Check } from '../check.ts';
import { honourRetryAfter } from '../provoking/honour-retry-after.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  planningLimits,
  secondsUntilClean,
  TWO_WINDOWS_SECONDS,
  type Key,
  type Span,
} from '../../oracle/index.ts';
import { Undecided, type CheckContext } from '../check-context.ts';
import { listInventory, updateInventory } from '../../target/index.ts';
import { checkAfter } from '../survey.ts';
import { judgeUnlessResponsesLost } from '../provoking/lost-responses.ts';
import { cheapestRequest, FREE_LIMIT, freeKeys, smallKeys, useUp } from '../provoking/use-up.ts';
import { probeEarly, probesOfOneKey, type ProbeOutcome } from './early-probes.ts';
import { judgeMeasurement } from './minute-limits.ts';
import { acceptedForms } from './observations.ts';
import { algorithmShown, readReset, type ResetReading } from './window-algorithm.ts';
import { segmentsExplain } from './window-segments.ts';

// Seconds between the last request that was granted and the refusal.
const PHASES = [
  { seconds: 0, isHurried: false },
  { seconds: 0.35, isHurried: false },
  { seconds: 0.62, isHurried: false },
  { seconds: 0.93, isHurried: false },
  { seconds: 20.5, isHurried: false },
  { seconds: 41.3, isHurried: false },
  { seconds: 23.4, isHurried: true },
  { seconds: 44.7, isHurried: true },
];

/** Retry-After is true at whatever moment of the window the refusal comes. */
export const retryAfterAtAnyMoment: Check = {
  id: 'retry-after-at-any-moment',
  title: 'Retry-After is long enough at any moment of the window',
  judges: ['retry-after-honoured', 'ban-only-after-continued'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: smallKeys(PHASES.length),
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    for (const [index, { seconds, isHurried }] of PHASES.entries()) {
      const key = context.keys[index];
      if (key !== undefined && key !== null) {
        await useUp(context, key);
        if (isHurried) {
          // The later refusal knows of this one, whatever it counts.
          await context.send(cheapestRequest(context), { key });
        }
        await context.sleep(seconds, 'another moment of the window');
        const [pet] = context.pets;
        const isUpdate = index % 2 === 1 && pet !== undefined;
        const message = isUpdate ? updateInventory(pet.petId, pet.item.quantity) : listInventory();
        const refusal = await context.send(message, { key });
        // Where a window ended meanwhile there is nothing to see.
        if (refusal.response.status === 429) {
          await honourRetryAfter(context, key, refusal, message);
        }
      }
    }
  },
};

const CYCLES = 10;

// So small that many windows are cheap.
const TINY_LIMITS: PlanLimits = { perMinute: 2, perDay: 1_000 };
const MANY_CYCLES = 32;
// Cycles after which a whole day passes.
const DAYS_AFTER: ReadonlySet<number> = new Set([24, 27]);
// Where a window slides, Retry-After is over long before Reset then.
const APART_SECONDS = 20;

/** A client that waits as it is told is served, however many windows it uses up. */
export const patientForLong: Check = {
  id: 'patient-for-long',
  title: 'A client that keeps every Retry-After is not banned after many windows, nor after days of them',
  judges: ['ban-only-after-continued', 'retry-after-honoured'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [
      {
        plan: 'enterprise',
        use: 'exhaust',
        requests: (MANY_CYCLES + 1) * (TINY_LIMITS.perMinute + 2),
        agree: TINY_LIMITS,
      },
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const key = context.key();
    for (let cycle = 1; cycle <= MANY_CYCLES; cycle += 1) {
      if (DAYS_AFTER.has(cycle)) {
        await context.sleep(DAY_SECONDS, `another day of ${key.label}`);
      }
      let last = await context.send(cheapestRequest(context), { key });
      for (let sent = 1; isAccepted(last) && sent <= 2 * TINY_LIMITS.perMinute; sent += 1) {
        if (cycle % 2 === 0 && sent < TINY_LIMITS.perMinute) {
          await context.sleep(APART_SECONDS, 'another moment of the window');
        }
        last = await context.send(cheapestRequest(context), { key });
      }
      const back = last.response.status === 429 ? await honourRetryAfter(context, key, last) : null;
      if (last.response.status === 401 || last.response.status === 403) {
        judgeUnlessResponsesLost(
          context,
          key.usage.lostResponses,
          'ban-only-after-continued',
          false,
          `${key.label} waited as told in each of ${cycle - 1} windows, and was answered ${last.response.status}.`,
          last,
        );
      }
      if (back === null || !isAccepted(back)) {
        return;
      }
    }
    context.judge('ban-only-after-continued', true, '');
  },
};

/** A client that always waits is served again and again, and never beyond the limit. */
export const patientClient: Check = {
  id: 'patient-client',
  title: 'A client that keeps every Retry-After is never banned, and never granted more than its limit',
  judges: ['ban-only-after-continued', 'limit-renews', 'retry-after-honoured'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: smallKeys(1, CYCLES),
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const key = context.key();
    const limit = planningLimits(key).perMinute;
    const began = context.now();
    let granted = 0;
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const { granted: more, last: exchange } = await goToTheLimit(context, key);
      granted += more;
      const seconds = (context.now() - began) / 1000;
      const most = limit * (Math.floor(seconds / MINUTE_SECONDS) + 2);
      const within = context.judge(
        'limit-renews',
        granted <= most,
        `${key.label} was granted ${granted} requests within ${Math.ceil(seconds)} s; windows of a minute grant ${most} at most.`,
        exchange,
      );
      if (exchange.response.status !== 429 || !within) {
        return;
      }
      const back = await honourRetryAfter(context, key, exchange);
      if (back === null || !isAccepted(back)) {
        return;
      }
      granted += 1;
    }
    context.judge('ban-only-after-continued', true, '');
  },
};

/** Sends until refused: at once while the target itself says that requests remain, then one by one. */
async function goToTheLimit(
  context: CheckContext,
  key: Key,
): Promise<{ readonly granted: number; readonly last: Exchange }> {
  const limit = planningLimits(key).perMinute;
  let last = await context.send(cheapestRequest(context), { key });
  let granted = countAccepted([last]);
  const shown = rateLimitOf(last);
  if (granted === 1 && shown?.limit === limit && shown.remaining > 0 && shown.remaining < limit) {
    const rest = Array.from({ length: shown.remaining }, () => cheapestRequest(context));
    granted += countAccepted(await context.sendAll(rest, key, 16));
  }
  while (isAccepted(last) && granted <= limit + 1) {
    last = await context.send(cheapestRequest(context), { key });
    granted += countAccepted([last]);
  }
  return { granted, last };
}

const SERIES = { count: 7, spacing: 9, seconds: 48 };
const FURTHER_PROBE_AFTER_SECONDS = 36;
const MARGIN_SECONDS = 0.5;

/** A limit that is reached holds for its minute, wherever in an aligned window it was reached. */
export const windowLength: Check = {
  id: 'window-length',
  title: 'A window is not shorter than a minute',
  judges: ['limit-renews'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [
      ...smallKeys(SERIES.count),
      ...smallKeys(1, SERIES.count),
      ...freeKeys(2, FREE_LIMIT + 1),
      { plan: 'pro', use: 'exhaust', requests: ({ perMinute }) => perMinute + 1 },
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const keys = context.keys.filter((key) => key !== null);
    const probes = keys.slice(0, SERIES.count).map((key, index) => ({
      startsAt: index * SERIES.spacing,
      seconds: SERIES.seconds,
      useUp: () => useUp(context, key),
    }));
    const [single, ...further] = keys.slice(SERIES.count);
    const outcomes = await probeEarly(context, probes, cheapestRequest(context));
    if (!haveCommonEnd(outcomes)) {
      if (single !== undefined) {
        await judgeOneKey(context, single);
      }
      return;
    }
    context.judge('limit-renews', true, '');
    let holds = outcomes.length === SERIES.count;
    const letIn = outcomes.filter(({ accepted }) => accepted);
    for (const key of further) {
      holds = holds && (await judgeWindowOf(context, key, letIn));
    }
  },
};

/** Whether windows of a minute that end at the same moments for all explain who was let in within a minute. */
function haveCommonEnd(outcomes: readonly ProbeOutcome[]): boolean {
  const early = outcomes.filter(({ accepted, seconds }) => accepted && seconds < MINUTE_SECONDS);
  return segmentsExplain(early, MINUTE_SECONDS, MARGIN_SECONDS);
}

/** Each key may have windows that end at moments of its own, but not at several within a minute. */
async function judgeOneKey(context: CheckContext, key: Key): Promise<void> {
  const series = { ...SERIES, windowSeconds: MINUTE_SECONDS };
  const outcomes = await probeEarly(
    context,
    probesOfOneKey(() => useUp(context, key), series),
    cheapestRequest(context),
  );
  const letIn = outcomes.filter(({ accepted }) => accepted);
  context.judge(
    'limit-renews',
    haveCommonEnd(outcomes),
    `${key.label} had reached its limit ${SERIES.count} times, and was granted more within ${SERIES.seconds} s ${letIn.length} times, at moments of the minute that no boundary once a minute explains: the window is shorter than a minute.`,
    letIn.at(-1)?.exchange,
  );
}

/**
 * Judges the window of one key by what others show of the boundaries that windows have.
 * @param letIn spans within which others were let in; without any of them there is no boundary
 * @returns whether it lasts as long as it has to, as far as it shows
 */
async function judgeWindowOf(context: CheckContext, key: Key, letIn: readonly Span[]): Promise<boolean> {
  const now = context.now();
  const isUnexplained = (span: Span): boolean =>
    letIn.length === 0 || !segmentsExplain([...letIn, span], MINUTE_SECONDS, MARGIN_SECONDS);
  const startsAt = Array.from({ length: MINUTE_SECONDS }, (_, second) => second).find((second) => {
    const from = now + second * 1000;
    return isUnexplained({ from, to: from + (FURTHER_PROBE_AFTER_SECONDS + 1) * 1000 });
  });
  if (startsAt === undefined) {
    return true;
  }
  const [outcome] = await probeEarly(
    context,
    [{ startsAt, seconds: FURTHER_PROBE_AFTER_SECONDS, useUp: () => useUp(context, key) }],
    cheapestRequest(context),
  );
  return (
    outcome === undefined ||
    context.judge(
      'limit-renews',
      !outcome.accepted ||
        outcome.seconds >= SERIES.seconds ||
        !isUnexplained(outcome) ||
        (letIn.length > 0 && mayEndByItself(outcome, planningLimits(key).perMinute)),
      `${key.label} had reached its limit, and was granted more within ${FURTHER_PROBE_AFTER_SECONDS} s, when no window of the other keys ends: its window is shorter than a minute.`,
      outcome.exchange,
    )
  );
}

/** Whether the key may have windows that end at moments of its own: Reset leapt by a whole one, or describes the day. */
function mayEndByItself({ before, exchange }: ProbeOutcome, limit: number): boolean {
  const [first, last] = [before[0], exchange].map((one) =>
    one === undefined ? undefined : rateLimitOf(one),
  );
  const isTold = first?.limit === limit && last?.limit === limit;
  // Reset is in whole seconds.
  return !isTold || last.reset - first.reset >= MINUTE_SECONDS - 1;
}

const SURELY_PASSED_SECONDS = 65;
const PAUSE_SECONDS = 20;

/** After a minute some requests are granted again, after two minutes the whole limit. */
export const windowRenews = checkAfter({
  id: 'window-renews',
  after: acceptedForms,
  title: 'The limit of a minute renews after a minute',
  judges: ['limit-renews', 'remaining-falls'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [{ plan: 'free', use: 'exhaust', requests: 8 * (FREE_LIMIT + 8) }],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context, forms) => {
    const key = context.key();
    const messages = acceptedMix(context, forms);
    if (!(await useUpWithPause(context, key)).isWhole) {
      throw new Undecided(`${key.label} was granted fewer requests than its minute has.`);
    }
    await judgeIsOver(context, key);
    await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh window');
    const measured = await measureMinute(context, key, { manner: 'one by one', messages });
    judgeMeasurement(context, measured, ['limit-renews']);
    judgeRenewedRemaining(context, key, measured);
    if (measured.verdict === 'exact') {
      // What was refused is forgotten by then, too.
      await context.sleep(TWO_WINDOWS_SECONDS, 'another fresh window');
      const again = await measureMinute(context, key, { manner: 'one by one', messages });
      judgeMeasurement(context, again, ['limit-renews']);
    }
  },
});

/** The same in real time, with a key whose own check ends a window before the run does. */
export const windowRenewsInRealTime: Check = {
  id: 'window-renews-in-real-time',
  title: 'A minute that is used up without going beyond it is over after a minute',
  judges: ['limit-renews', 'window-algorithm'],
  needs: {
    profile: 'full',
    keys: [{ plan: 'pro', use: 'exhaust', requests: ({ perMinute }) => perMinute + 1 }],
    pets: 1,
    worksWithoutPets: true,
    realTimeOnly: true,
  },
  run: async (context) => {
    const key = context.key();
    if (context.elapsedSeconds() > LATEST_START_SECONDS) {
      context.skip('window-algorithm', 'The run was too slow to look at another window.');
      return;
    }
    const limit = planningLimits(key).perMinute;
    const { isWhole, resets } = await useUpWithPause(context, key);
    if (isWhole) {
      const later = await judgeIsOver(context, key);
      const shown = algorithmShown(resets, readReset(later, limit));
      if (shown === undefined) {
        context.skip(
          'window-algorithm',
          'What X-RateLimit-Reset showed, and when, fits several kinds of windows.',
        );
      } else {
        context.observe('window-algorithm', shown);
      }
    }
  },
};

// What begins later would make a run in real time last more than a window longer.
const LATEST_START_SECONDS = 80;

/**
 * Uses up a minute in two halves, since a window is over when its minute is, whatever was granted in the midst of it.
 * @returns whether the whole limit was granted, and what Reset was at first and in each half
 */
async function useUpWithPause(
  context: CheckContext,
  key: Key,
): Promise<{ readonly isWhole: boolean; readonly resets: readonly (ResetReading | undefined)[] }> {
  const limit = planningLimits(key).perMinute;
  // A lease may begin with a window in which one request was granted.
  const alreadyGranted = secondsUntilClean(key, context.now()) > 0 ? key.usage.acceptedSinceFull : 0;
  const opening = alreadyGranted === 0 ? [] : [readLast(key)];
  const all = Array.from({ length: limit - alreadyGranted }, () => cheapestRequest(context));
  const half = Math.floor(all.length / 2);
  const first = await context.sendAll(all.slice(0, half), key, 16);
  await context.sleep(PAUSE_SECONDS, 'the midst of the window');
  const second = await context.sendAll(all.slice(half), key, 16);
  return {
    isWhole: countAccepted([...first, ...second]) === all.length,
    resets: [
      ...opening,
      ...[...first.slice(0, 1), ...second.slice(0, 1)].map((exchange) => readReset(exchange, limit)),
    ],
  };
}

/** What the key's last answer said, which was the first of its window. */
function readLast({ usage }: Key): ResetReading | undefined {
  const sentAt = usage.sentAt.at(-1);
  return usage.last === null || sentAt === undefined || usage.acceptedSinceFull !== 1
    ? undefined
    : { sentAt, receivedAt: usage.last.receivedAt, reset: usage.last.rateLimit.reset };
}

/** To be called when a minute was used up in two halves, without going beyond it. */
async function judgeIsOver(context: CheckContext, key: Key): Promise<Exchange> {
  await context.sleep(SURELY_PASSED_SECONDS - PAUSE_SECONDS, 'the end of the window');
  const exchange = await context.send(cheapestRequest(context), { key });
  context.judge(
    'limit-renews',
    isAccepted(exchange),
    `${key.label} used up its minute without going beyond it, and was answered ${exchange.response.status} ${SURELY_PASSED_SECONDS} s after its first request.`,
    exchange,
  );
  return exchange;
}

/** The first response of a window that granted its whole limit showed all but one of it. */
function judgeRenewedRemaining(context: CheckContext, key: Key, { verdict, burst }: Measurement): void {
  const [first] = burst.oneByOne;
  const rateLimit = first === undefined ? undefined : rateLimitOf(first);
  const limit = planningLimits(key).perMinute;
  if (verdict === 'exact' && rateLimit?.limit === limit && key.usage.lostResponses === 0) {
    context.judge(
      'remaining-falls',
      rateLimit.remaining === limit - 1,
      `X-RateLimit-Remaining is ${rateLimit.remaining} after the first of ${limit} requests of a new window.`,
      first,
    );
  }
}
