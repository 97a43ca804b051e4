import { DAY_SECONDS, MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import type { Check } from '../check.ts';
import { type KeyNeed, listInventory } from '../../target/index.ts';
import {
  header,
  secondsToWait,
  isAccepted,
  type Exchange,
  TWO_WINDOWS_SECONDS,
  type Key,
} from '../../oracle/index.ts';
import { honourRetryAfter } from '../provoking/honour-retry-after.ts';
import type { CheckContext } from '../check-context.ts';
import { judgeUnlessResponsesLost } from '../provoking/lost-responses.ts';
import { agreedKey, cheapestRequest, useUp, useUpAtOnce, type UsedUp } from '../provoking/use-up.ts';
import { probeEarly, probesOfOneKey } from './early-probes.ts';
import { segmentsExplain } from './window-segments.ts';

const HOUR_SECONDS = 3_600;
const HALF_A_DAY_SECONDS = 12 * HOUR_SECONDS;

// Starts so close together that no midnight, and no hours that a day is counted in, let all keys in this early.
const EARLY = { count: 27, spacing: 0.9 * HOUR_SECONDS, seconds: 22 * HOUR_SECONDS };
// A day that summer time makes longer has passed by then, and of a sliding one some.
const LATE = { count: 6, spacing: 4 * HOUR_SECONDS, seconds: 26 * HOUR_SECONDS };
// Summer time may begin between two midnights.
const MARGIN_SECONDS = HOUR_SECONDS / 2;

// A day that fits into a minute.
const SMALL_DAY: PlanLimits = { perMinute: 9, perDay: 3 };

function lastOfDay(requests: number): KeyNeed {
  return { plan: 'free', use: 'exhaust', requests, usedToday: ({ perDay }) => perDay - 1 };
}

/** A day that is used up lasts until it has passed, and no longer. */
export const dayWindowLength: Check = {
  id: 'day-window-length',
  title: 'A day that is used up ends after a day, neither long before nor after',
  judges: ['day-limit-free', 'limit-renews'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [
      lastOfDay(2 * (EARLY.count + LATE.count)),
      agreedKey(SMALL_DAY, EARLY.count * (SMALL_DAY.perDay + 1)),
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const outcomes = await probeEarly(
      context,
      [EARLY, LATE].flatMap(({ count, spacing, seconds }) =>
        Array.from({ length: count }, (_, index) => ({
          startsAt: index * spacing,
          seconds,
          useUp: () => useUpDay(context),
        })),
      ),
      cheapestRequest(context),
    );
    const letIn = outcomes.filter(
      ({ probe, accepted, seconds }) => accepted && probe.seconds === EARLY.seconds && seconds < DAY_SECONDS,
    );
    const hasCommonEnd = segmentsExplain(letIn, DAY_SECONDS, MARGIN_SECONDS);
    if (hasCommonEnd || !(await hasDaysOfItsOwn(context))) {
      context.judge(
        'day-limit-free',
        hasCommonEnd,
        `${letIn.length} keys that had used up their day were granted more within ${EARLY.seconds / HOUR_SECONDS} hours, at times that no midnight explains: the day is too short.`,
        letIn[0]?.exchange,
      );
    }
    const late = outcomes.filter(({ probe }) => probe.seconds === LATE.seconds);
    const refused = late.find(({ accepted }) => !accepted);
    for (const id of late.length === 0 ? [] : (['day-limit-free', 'limit-renews'] as const)) {
      context.judge(
        id,
        refused === undefined,
        () =>
          `${refused?.key.label} used up its day without going beyond it, rested ${LATE.seconds / HOUR_SECONDS} hours, and was answered ${refused?.exchange.response.status}.`,
        refused?.exchange,
      );
    }
  },
};

/** Whether a key's days end at one time of the day; who has a midnight of its own shares it with no other key. */
async function hasDaysOfItsOwn(context: CheckContext): Promise<boolean> {
  const key = context.keys[1];
  if (key === undefined || key === null) {
    return false;
  }
  const outcomes = await probeEarly(
    context,
    probesOfOneKey(() => useUpAtOnce(context, key, SMALL_DAY.perDay), {
      ...EARLY,
      windowSeconds: DAY_SECONDS,
    }),
    cheapestRequest(context),
  );
  const letIn = outcomes.filter(({ accepted, seconds }) => accepted && seconds < DAY_SECONDS);
  return letIn.length > 0 && segmentsExplain(letIn, DAY_SECONDS, MARGIN_SECONDS);
}

async function useUpDay(context: CheckContext): Promise<UsedUp | null> {
  const key = await context.issue(lastOfDay(2));
  const exchange = await context.send(cheapestRequest(context), { key });
  return isAccepted(exchange) ? { key, exchanges: [exchange] } : null;
}

/** Who goes beyond the day once and then waits as told is served again. */
export const patientDay: Check = {
  id: 'patient-day',
  title: 'A client that reaches the limit of its day and waits as told is not banned',
  judges: ['retry-after-honoured', 'ban-only-after-continued'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [lastOfDay(6)],
  },
  run: async (context) => {
    let refusal = await goBeyondDay(context, context.key());
    if (refusal === null) {
      // A midnight may have come in between, but not twice within a day.
      await context.sleep(HALF_A_DAY_SECONDS, 'another time of the day');
      refusal = await goBeyondDay(context, await context.issue(lastOfDay(3)));
    }
    const seconds = refusal === null ? undefined : secondsToWait(refusal.exchange, context.clock);
    // What asks for more than a day is judged by when the day ends.
    if (refusal !== null && seconds !== undefined && seconds <= LATE.seconds) {
      await honourRetryAfter(context, refusal.key, refusal.exchange);
    }
  },
};

const PATIENT_DAYS = 7;

/** Who goes beyond the day once on each of many days, and waits as told every time, is served again. */
export const patientDays: Check = {
  id: 'patient-days',
  title: 'A client that reaches the limit of its day again and again, and waits as told, is not banned',
  judges: ['retry-after-honoured', 'ban-only-after-continued'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [agreedKey(SMALL_DAY, PATIENT_DAYS * (SMALL_DAY.perDay + 2))],
  },
  run: async (context) => {
    const key = context.key();
    for (let day = 0; day < PATIENT_DAYS; day += 1) {
      const refusal = await sendUntilRefused(context, key);
      const seconds = refusal === null ? undefined : secondsToWait(refusal, context.clock);
      if (refusal === null || seconds === undefined) {
        return;
      }
      if (seconds > LATE.seconds) {
        await judgeBlockOfDays(context, key, refusal);
        return;
      }
      const back = await honourRetryAfter(context, key, refusal);
      if (back === null || !isAccepted(back)) {
        return;
      }
    }
  },
};

/** No day is left after two, so that only a ban can refuse who has waited until then, and none has been earned. */
async function judgeBlockOfDays(context: CheckContext, key: Key, refusal: Exchange): Promise<void> {
  await context.sleep(2 * DAY_SECONDS, `two days of ${key.label}`);
  const exchange = await context.send(listInventory(), { key });
  judgeUnlessResponsesLost(
    context,
    key.usage.lostResponses,
    'ban-only-after-continued',
    isAccepted(exchange),
    `${key.label} went beyond its day, was told "Retry-After: ${header(refusal, 'Retry-After')}", waited two days, and was answered ${exchange.response.status}, though it always waited before.`,
    exchange,
  );
}

async function sendUntilRefused(context: CheckContext, key: Key): Promise<Exchange | null> {
  for (let sent = 0; sent <= SMALL_DAY.perDay; sent += 1) {
    const exchange = await context.send(listInventory(), { key });
    if (!isAccepted(exchange)) {
      return exchange.response.status === 429 ? exchange : null;
    }
  }
  return null;
}

async function goBeyondDay(context: CheckContext, key: Key) {
  await context.send(listInventory(), { key });
  const exchange = await context.send(listInventory(), { key });
  return exchange.response.status === 429 ? { key, exchange } : null;
}

const AGREED: PlanLimits = { perMinute: 5, perDay: 12 };
// Twice that is more than a day.
const REST_SECONDS = 20 * HOUR_SECONDS;
const WEEK_SECONDS = 7 * DAY_SECONDS;

const AGREED_KEY = agreedKey(AGREED, 4 * (AGREED.perDay + 3));

/** Minutes and days that bear the same name, as on a clock or in a calendar, are others. */
export const countersExpire: Check = {
  id: 'counters-expire',
  title: 'What was used an hour or a week ago no longer counts',
  judges: ['limit-renews', 'day-limit-enterprise'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [AGREED_KEY],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const key = context.key();
    await useUp(context, key);
    const began = context.now();
    await context.sleep(HOUR_SECONDS, 'the same minute of the next hour');
    const later = await context.send(cheapestRequest(context), { key });
    context.judge(
      'limit-renews',
      isAccepted(later),
      `${key.label} used up its minute, rested an hour, and was answered ${later.response.status}.`,
      later,
    );
    await judgeUsedOnAndOn(context, key);
    await context.sleep(WEEK_SECONDS - (context.now() - began) / 1000, 'the same day of the next week');
    await judgeDay(context, key);
  },
};

/** What was used more than a day ago does not count, even if the key was used since. */
async function judgeUsedOnAndOn(context: CheckContext, key: Key): Promise<void> {
  const hours = REST_SECONDS / HOUR_SECONDS;
  await context.sleep(REST_SECONDS, 'a later part of the day');
  await useUp(context, key);
  for (let sent = 0; sent < AGREED.perDay - 2 * AGREED.perMinute; sent += 1) {
    await context.sleep(sent === 0 ? REST_SECONDS : MINUTE_SECONDS, 'another part of the next day');
    const exchange = await context.send(cheapestRequest(context), { key });
    context.judge(
      'day-limit-enterprise',
      isAccepted(exchange),
      `${key.label} was answered ${exchange.response.status} ${hours} h after it had used ${AGREED.perMinute} of the ${AGREED.perDay} requests that a day has, and ${2 * hours} h after others: those still count.`,
      exchange,
    );
  }
}

/** Sends until the day refuses, minute after minute; a midnight that comes meanwhile does not come half a day later. */
async function judgeDay(context: CheckContext, key: Key, mayRepeat = true): Promise<void> {
  const { perMinute, perDay } = AGREED;
  let granted = 0;
  let last: Exchange | undefined;
  while (granted < perDay + perMinute && (last === undefined || isAccepted(last))) {
    for (let sent = 0; sent < perMinute && (last === undefined || isAccepted(last)); sent += 1) {
      last = await context.send(cheapestRequest(context), { key });
      granted += isAccepted(last) ? 1 : 0;
    }
    await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh minute');
  }
  if (granted > perDay && mayRepeat) {
    await context.sleep(2 * DAY_SECONDS + HALF_A_DAY_SECONDS, 'another time of another day');
    await judgeDay(context, key, false);
    return;
  }
  judgeUnlessResponsesLost(
    context,
    key.usage.lostResponses,
    'day-limit-enterprise',
    granted === perDay,
    `${key.label} rested a week, and was granted ${granted} requests on a day that has ${perDay}.`,
    last,
  );
}
