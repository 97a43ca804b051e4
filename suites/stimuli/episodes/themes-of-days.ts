import * as fc from 'fast-check';
import type { Episode, EpisodeKey, Start, Step } from './episode.ts';
import { drawGoodRequest, weighted } from './draw-requests.ts';
import {
  ANY_START,
  BEFORE_MIDNIGHT,
  DAY_EDGE,
  HOURS,
  LANE,
  enterpriseKey,
  episodes,
  patient,
  smallKey,
  repeatSteps,
} from './draw-steps.ts';

/** Days that are used up again and again after a little less than a day; whatever is shorter shows as well. */
export const HURRIED_DAYS: fc.Arbitrary<Episode> = fc
  .tuple(fc.integer({ min: 1, max: 2 }), drawGoodRequest(1), fc.constantFrom(72_100, 75_700))
  .chain(([limit, one, seconds]) =>
    episodes({
      theme: 'hurry for days',
      keys: fc.constant([enterpriseKey({ perMinute: 9, perDay: limit })]),
      steps: fc.constant(
        repeatSteps(12, [
          { do: 'send', requests: [one], times: limit, lane: 'shared' },
          { do: 'wait', seconds },
        ]),
      ),
    }),
  );

/** A key that waits as it is told, on several days. */
export const PATIENT_DAYS: fc.Arbitrary<Episode> = episodes({
  theme: 'patience for days',
  keys: fc.tuple(smallKey(fc.integer({ min: 1, max: 2 }))),
  steps: fc
    .tuple(
      patient(1, fc.constant(1)),
      fc.constantFrom<Step>(
        { do: 'wait', seconds: 86_401 },
        { do: 'wait', seconds: 3_601 },
        { do: 'wait', seconds: 86_401 },
      ),
    )
    .map((day) => repeatSteps(5, day)),
});

function nearDay({ plan, limits }: Omit<EpisodeKey, 'leftToday'>): fc.Arbitrary<EpisodeKey> {
  return fc.record({
    plan: fc.constant(plan),
    limits: fc.constant(limits),
    leftToday: fc.integer({ min: 0, max: 3 }),
  });
}

export const KEY_NEAR_ITS_DAY = weighted<EpisodeKey>(
  [2, nearDay({ plan: 'free', limits: null })],
  [2, nearDay({ plan: 'pro', limits: null })],
  [2, nearDay({ plan: 'business', limits: null })],
  [2, nearDay({ plan: 'enterprise', limits: { perMinute: 50, perDay: 210 } })],
  [1, nearDay({ plan: 'enterprise', limits: { perMinute: 300, perDay: 250_000 } })],
  [2, fc.integer({ min: 2, max: 9 }).map((perDay) => enterpriseKey({ perMinute: 4, perDay }))],
);

/** A day that is used up, and more. */
function drawDay(key: number, beyond: fc.Arbitrary<number>): fc.Arbitrary<readonly Step[]> {
  const good = fc.array(drawGoodRequest(1), { minLength: 1, maxLength: 2 });
  return fc
    .tuple(good, weighted([5, fc.constant(0)], [1, fc.constant(1)]), LANE, beyond)
    .map(([requests, leaving, lane, times]): readonly Step[] => [
      { do: 'use up', key, leaving, requests, lane },
      { do: 'send', requests: requests.map((one) => ({ ...one, key })), times, lane: 'shared' },
    ]);
}

/** How long after a day was used up it is tried again, and how many requests go beyond it. */
interface DayPause {
  readonly pause: readonly Step[];
  readonly beyond: fc.Arbitrary<number>;
}

/** Days of some keys that are used up, and what becomes of them after a while. */
function drawDaysOf(keys: readonly number[], { pause, beyond }: DayPause): fc.Arbitrary<readonly Step[]> {
  return fc
    .shuffledSubarray([...keys], { minLength: keys.length })
    .chain((order) => fc.tuple(...order.map((key) => drawDay(key, beyond))))
    .map((days) => days.flat().concat(pause, days.flat()));
}

/** Keys of all plans whose days are used up, and again after a while. */
function daysOf(pause: fc.Arbitrary<DayPause>): fc.Arbitrary<Episode> {
  return episodes({
    theme: 'days',
    start: weighted<Start>([1, BEFORE_MIDNIGHT], [3, ANY_START]),
    keys: fc.tuple(
      nearDay({ plan: 'free', limits: null }),
      nearDay({ plan: 'free', limits: null }),
      nearDay({ plan: 'pro', limits: null }),
      nearDay({ plan: 'business', limits: null }),
      fc.constantFrom<EpisodeKey>(
        enterpriseKey({ perMinute: 50, perDay: 210 }, 4),
        enterpriseKey({ perMinute: 300, perDay: 250_000 }, 3),
        enterpriseKey({ perMinute: 9, perDay: 3 }),
        enterpriseKey({ perMinute: 50, perDay: 210 }, 2),
      ),
    ),
    // Of what two groups show after one another, no single midnight is the cause.
    steps: pause
      .chain((one) => fc.tuple(drawDaysOf([0, 2, 3], one), drawDaysOf([1, 4], one)))
      .map((groups) => groups.flat()),
  });
}

function daysApart(step: fc.Arbitrary<Step>): fc.Arbitrary<Episode> {
  return daysOf(step.map((one) => ({ pause: [one], beyond: fc.constantFrom(1, 2, 3, 4) })));
}

export const DAYS_WITH_A_MINUTE = daysApart(
  fc.constantFrom<Step>({ do: 'wait', seconds: 61 }, { do: 'wait', seconds: 65 }),
);
export const DAYS_AT_MIDNIGHT = daysApart(DAY_EDGE);
export const DAYS_WITH_HOURS = daysApart(HOURS);
/** One request beyond each, and all of them wait as they are told. */
export const DAYS_WAITED_OUT = daysOf(
  fc.constantFrom(0, 1, 4_000).map((offset) => ({
    pause: [0, 1, 2, 3, 4].map((key): Step => ({ do: 'wait out', key, offset })),
    beyond: fc.constant(1),
  })),
);
