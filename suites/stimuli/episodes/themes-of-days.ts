import type { Plan, PlanLimits } from '../../../contract/plans.ts';
import type { KeyNeed } from '../../target/index.ts';
import { between, anyOf, several, shuffled, weighted, type Draw } from './dice.ts';
import type { Episode, Start, Step } from './episode.ts';
import { drawGoodRequest } from './draw-requests.ts';
import {
  ANY_START,
  BEFORE_MIDNIGHT,
  DAY_EDGE,
  HOURS,
  LANE,
  enterpriseKey,
  episodes,
  keysOf,
  patient,
  planKey,
  sendShared,
  smallKey,
  repeatSteps,
  waitOneOf,
} from './draw-steps.ts';

/** Days that are used up again and again after a little less than a day; whatever is shorter shows as well. */
export const HURRIED_DAYS: Draw<Episode> = (dice) => {
  const perDay = dice.between(1, 2);
  return episodes({
    keys: () => [enterpriseKey({ perMinute: 9, perDay })],
    steps: () =>
      repeatSteps(12, sendShared([drawGoodRequest(1)(dice)], perDay), waitOneOf(72_100, 75_700)(dice)),
  })(dice);
};

/** A key that waits as it is told, on several days. */
export const PATIENT_DAYS: Draw<Episode> = episodes({
  keys: keysOf(smallKey(between(1, 2))),
  steps: (dice) => repeatSteps(5, patient(() => 1)(dice), waitOneOf(86_401, 3_601, 86_401)(dice)),
});

function nearDay(plan: Plan): Draw<KeyNeed> {
  return (dice) => planKey(plan, dice.between(0, 3));
}

function enterpriseNearDay(limits: PlanLimits): Draw<KeyNeed> {
  return (dice) => enterpriseKey(limits, dice.between(0, 3));
}

export const KEY_NEAR_ITS_DAY = weighted(
  [2, nearDay('free')],
  [2, nearDay('pro')],
  [2, nearDay('business')],
  [2, enterpriseNearDay({ perMinute: 50, perDay: 210 })],
  [1, enterpriseNearDay({ perMinute: 300, perDay: 250_000 })],
  [2, (dice) => enterpriseKey({ perMinute: 4, perDay: dice.between(2, 9) })],
);

const LEAVING = weighted([5, () => 0], [1, () => 1]);

/** A day that is used up, and more. */
function drawDay(key: number, beyond: Draw<number>): Draw<readonly Step[]> {
  return (dice) => {
    const requests = several((again) => ({ ...drawGoodRequest(1)(again), key }), 1, 2)(dice);
    return [
      { do: 'use up', key, leaving: LEAVING(dice), requests, lane: LANE(dice) },
      sendShared(requests, beyond(dice)),
    ];
  };
}

/** How long after a day was used up it is tried again, and how many requests go beyond it. */
interface DayPause {
  readonly pause: readonly Step[];
  readonly beyond: Draw<number>;
}

/** Days of some keys that are used up, and what becomes of them after a while. */
function drawDaysOf(keys: readonly number[], { pause, beyond }: DayPause): Draw<readonly Step[]> {
  return (dice) => {
    const days = shuffled(keys)(dice).flatMap((key) => drawDay(key, beyond)(dice));
    return [...days, ...pause, ...days];
  };
}

/** Keys of all plans whose days are used up, and again after a while. */
function daysOf(pause: Draw<DayPause>): Draw<Episode> {
  return episodes({
    start: weighted<Start>([1, BEFORE_MIDNIGHT], [3, ANY_START]),
    keys: keysOf(
      nearDay('free'),
      nearDay('free'),
      nearDay('pro'),
      nearDay('business'),
      anyOf(
        enterpriseKey({ perMinute: 50, perDay: 210 }, 4),
        enterpriseKey({ perMinute: 300, perDay: 250_000 }, 3),
        enterpriseKey({ perMinute: 9, perDay: 3 }),
        enterpriseKey({ perMinute: 50, perDay: 210 }, 2),
      ),
    ),
    // Of what two groups show after one another, no single midnight is the cause.
    steps: (dice) => {
      const drawn = pause(dice);
      return [
        [0, 2, 3],
        [1, 4],
      ].flatMap((keys) => drawDaysOf(keys, drawn)(dice));
    },
  });
}

function daysApart(step: Draw<Step>): Draw<Episode> {
  return daysOf((dice) => ({ pause: [step(dice)], beyond: between(1, 4) }));
}

export const DAYS_WITH_A_MINUTE = daysApart(waitOneOf(61, 65));
export const DAYS_AT_MIDNIGHT = daysApart(DAY_EDGE);
export const DAYS_WITH_HOURS = daysApart(HOURS);
/** One request beyond each, and all of them wait as they are told. */
export const DAYS_WAITED_OUT = daysOf((dice) => {
  const offset = anyOf(0, 1, 4_000)(dice);
  return { pause: [0, 1, 2, 3, 4].map((key) => ({ do: 'wait out', key, offset })), beyond: () => 1 };
});
