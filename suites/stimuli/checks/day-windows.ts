import { DAY_SECONDS, MINUTE_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import { type KeyNeed, listInventory } from '../../target/index.ts';
import { secondsToWait, isAccepted, TWO_WINDOWS_SECONDS, type Key } from '../../oracle/index.ts';
import { countAccepted } from '../provoking/burst.ts';
import { honourRetryAfter } from '../provoking/honour-retry-after.ts';
import type { CheckContext } from '../check-context.ts';
import { againLater } from '../provoking/other-phase.ts';
import { agreedKey, cheapestRequest, sendCheapest, sendUntilRefused, useUp } from '../provoking/use-up.ts';
import { probeEarly } from './early-probes.ts';

const HOUR_SECONDS = 3_600;
const HALF_A_DAY_SECONDS = 12 * HOUR_SECONDS;

// No segment of a day that is longer than two hours ends so early, and no midnight always does.
const EARLY_SECONDS = 22 * HOUR_SECONDS;
const EARLY_TIMES = 16;
const REST_SECONDS_BETWEEN = 2 * DAY_SECONDS + 3.6 * HOUR_SECONDS;
// A day that summer time makes longer has passed by then, and of a sliding one some.
const LATE = { count: 4, spacing: 6 * HOUR_SECONDS, seconds: 26 * HOUR_SECONDS };

// A day that fits into a minute.
const SMALL_DAY: PlanLimits = { perMinute: 9, perDay: 3 };
const SECOND_DAY = SMALL_DAY.perDay + 1;

function lastOfDay(requests: number): KeyNeed {
  return { plan: 'free', use: 'exhaust', requests, usedToday: ({ perDay }) => perDay - 1 };
}

/** A day that is used up lasts until it has passed, and no longer. */
export const dayWindowLength: Check = {
  id: 'day-window-length',
  title: 'A day that is used up ends after a day, neither long before nor after',
  judges: ['day-limit-enterprise', 'day-limit-free', 'limit-renews'],
  needs: needsOfIssuedKeys([
    lastOfDay(2 * LATE.count),
    agreedKey(SMALL_DAY, EARLY_TIMES * (SMALL_DAY.perDay + 1) + SECOND_DAY),
  ]),
  run: async (context) => {
    const late = Array.from({ length: LATE.count }, (_, index) => ({
      startsAt: index * LATE.spacing,
      seconds: LATE.seconds,
      useUp: () => useUpDay(context),
    }));
    await probeEarly(context, late, cheapestRequest(context));
    await askEarly(context, context.key(1));
    // A day of its own grants as many as the first one did.
    await context.sleep(REST_SECONDS_BETWEEN, 'another day of the same key');
    await sendUntilRefused(context, context.key(1), SECOND_DAY);
  },
};

/** Asks before a day that was used up has passed, at other times of the day until it is refused. */
async function askEarly(context: CheckContext, key: Key): Promise<void> {
  for (let time = 0; time < EARLY_TIMES; time += 1) {
    const granted = await sendCheapest(context, key, SMALL_DAY.perDay);
    await context.sleep(EARLY_SECONDS, 'most of a day that is used up');
    const exchange = await context.send(cheapestRequest(context), { key });
    if (granted < SMALL_DAY.perDay || !isAccepted(exchange)) {
      return;
    }
    await context.sleep(REST_SECONDS_BETWEEN, 'another time of another day');
  }
}

async function useUpDay(context: CheckContext): Promise<Key | null> {
  const key = await context.issue(lastOfDay(2));
  return isAccepted(await context.send(cheapestRequest(context), { key })) ? key : null;
}

/** A client that goes beyond the day once and then waits as told is served again. */
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
// Both limits are reached at once, so that the longer wait is the one to tell.
const DAY_OF_A_MINUTE: PlanLimits = { ...SMALL_DAY, perMinute: SMALL_DAY.perDay };

/** A client that goes beyond the day once on each of many days, and waits as told every time, is served again. */
export const patientDays: Check = {
  id: 'patient-days',
  title: 'A client that reaches the limit of its day again and again, and waits as told, is not banned',
  judges: ['retry-after-honoured', 'ban-only-after-continued'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [agreedKey(DAY_OF_A_MINUTE, PATIENT_DAYS * (SMALL_DAY.perDay + 2))],
  },
  run: async (context) => {
    const key = context.key();
    for (let day = 0; day < PATIENT_DAYS; day += 1) {
      const refusal = (await sendUntilRefused(context, key, SMALL_DAY.perDay + 1, [listInventory()])).at(-1);
      const seconds = refusal?.response.status === 429 ? secondsToWait(refusal, context.clock) : undefined;
      if (refusal === undefined || seconds === undefined) {
        return;
      }
      if (seconds > LATE.seconds) {
        // No day is left after two, so that only a ban can refuse who has waited until then.
        await context.sleep(2 * DAY_SECONDS, `two days of ${key.label}`);
        await context.send(listInventory(), { key });
        return;
      }
      const back = await honourRetryAfter(context, key, refusal);
      if (back === null || !isAccepted(back)) {
        return;
      }
    }
  },
};

async function goBeyondDay(context: CheckContext, key: Key) {
  await context.send(listInventory(), { key });
  const exchange = await context.send(listInventory(), { key });
  return exchange.response.status === 429 ? { key, exchange } : null;
}

const AGREED: PlanLimits = { perMinute: 5, perDay: 12 };
// Twice that is more than a day.
const REST_SECONDS = 20 * HOUR_SECONDS;
const WEEK_SECONDS = 7 * DAY_SECONDS;

// However long the month is, and if midnight came just after a day was used up.
const SAME_DAYS_OF_MONTH = [27, 28, 29, 30, 31];

const AGREED_KEY = agreedKey(AGREED, 4 * (AGREED.perDay + 3) + SAME_DAYS_OF_MONTH.length);

/** Minutes and days that bear the same name, as on a clock or in a calendar, are others. */
export const countersExpire: Check = {
  id: 'counters-expire',
  title: 'What was used an hour, a week or a month ago no longer counts',
  judges: ['limit-renews', 'day-limit-enterprise'],
  needs: needsOfIssuedKeys([AGREED_KEY]),
  run: async (context) => {
    const key = context.key();
    await useUp(context, key);
    const began = context.now();
    await context.sleep(HOUR_SECONDS, 'the same minute of the next hour');
    await context.send(cheapestRequest(context), { key });
    await useOnAndOn(context, key);
    await context.sleep(WEEK_SECONDS - (context.now() - began) / 1000, 'the same day of the next week');
    // A midnight that came meanwhile does not come half a day later.
    await againLater(context, 2 * DAY_SECONDS + HALF_A_DAY_SECONDS, async () => {
      const granted = await useUpMinuteByMinute(context, key);
      return granted > AGREED.perDay;
    });
    const usedUpAt = context.now();
    for (const day of SAME_DAYS_OF_MONTH) {
      const passed = (context.now() - usedUpAt) / 1000;
      await context.sleep(day * DAY_SECONDS - passed, 'the same day of the next month');
      await context.send(cheapestRequest(context), { key });
    }
  },
};

/** What was used more than a day ago does not count, even if the key was used since. */
async function useOnAndOn(context: CheckContext, key: Key): Promise<void> {
  await context.sleep(REST_SECONDS, 'a later part of the day');
  await useUp(context, key);
  for (let sent = 0; sent < AGREED.perDay - 2 * AGREED.perMinute; sent += 1) {
    await context.sleep(sent === 0 ? REST_SECONDS : MINUTE_SECONDS, 'another part of the next day');
    await context.send(cheapestRequest(context), { key });
  }
}

/** Sends until the day refuses, minute after minute. @returns how many requests were granted */
async function useUpMinuteByMinute(context: CheckContext, key: Key): Promise<number> {
  const { perMinute, perDay } = AGREED;
  let granted = 0;
  for (let isRefused = false; granted < perDay + perMinute && !isRefused;) {
    const accepted = countAccepted(await sendUntilRefused(context, key, perMinute));
    granted += accepted;
    isRefused = accepted < perMinute;
    await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh minute');
  }
  return granted;
}
