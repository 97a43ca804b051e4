import * as fc from 'fast-check';
import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import type { Episode, EpisodeKey, Lane, PlannedRequest, Start, Step } from './episode.ts';
import {
  ANY_OPERATION,
  BODY_OPERATION,
  LIST_OPERATION,
  NONE,
  UPDATE_OPERATION,
  USUAL_SPELLING_OPERATION,
  DOCUMENTED_OPERATION,
  drawGoodRequest,
  drawRequest,
  GOOD_OPERATION,
  SPELLED_CREDENTIAL,
  SPELLING_OPERATION,
  weighted,
} from './draw-requests.ts';
import {
  ANY_START,
  AT_ONCE,
  BEFORE_MIDNIGHT,
  DAY_EDGE,
  HOURS,
  INVENTORY,
  LANE,
  MINUTE_EDGE,
  ONE_AFTER_THE_OTHER,
  PAUSE,
  ROOMY_OF_ANY_PLAN,
  SMALL,
  enterpriseKey,
  episodes,
  patient,
  send,
  smallKey,
  steps,
  drawUseUp,
  waitOut,
} from './draw-steps.ts';

/** What no limiter may count apart: other operations, spellings, credentials, fields, and what is refused. */
function drawAnyForm(keys: number): fc.Arbitrary<PlannedRequest> {
  return weighted(
    [3, drawGoodRequest(keys)],
    [2, drawRequest({ operation: SPELLING_OPERATION, keys })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys, credential: SPELLED_CREDENTIAL })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys, extra: fc.nat({ max: 99 }) })],
    [3, drawRequest({ operation: ANY_OPERATION, keys })],
  );
}

// Other than a divisor of a minute, so that the next window falls on another phase of an aligned one.
const SHIFTED = fc.constantFrom(13, 17, 27, 41);
const SOMETIMES_SHIFTED = weighted([3, fc.constantFrom(0, 0, 0.5)], [4, SHIFTED]);
// Longer than any window of a minute counts.
const TWO_WINDOWS = 125.5;
const LEFT_ALONE = fc.constantFrom(55.5, 58, 60.5, 63, 66, 75, 85, 88, TWO_WINDOWS, TWO_WINDOWS);

/** Windows of one key: each is used up, then left alone or waited out, and used up again. */
function drawWindow(key: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<readonly Step[]> {
  const own = fc.array(requests, { minLength: 1, maxLength: 4 });
  const use = (leaving: fc.Arbitrary<number>, lane: fc.Arbitrary<Lane> = LANE): fc.Arbitrary<Step> =>
    fc.record({ do: fc.constant('use up'), key: fc.constant(key), leaving, requests: own, lane });
  const beyond = send(withKeyOf(key, requests), { most: 3, lane: ONE_AFTER_THE_OTHER });
  const told: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('wait out'),
    key: fc.constant(key),
    offset: SOMETIMES_SHIFTED,
  });
  const alone: fc.Arbitrary<Step> = fc.record({ do: fc.constant('wait'), seconds: LEFT_ALONE });
  const reset: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('wait for reset'),
    key: fc.constant(key),
    offset: fc.constantFrom(0, 0.5, 19),
  });
  const halfway = fc.constantFrom(7, 15, 25, 31, 45).map((seconds): Step => ({ do: 'wait', seconds }));
  const twoWindows = fc.constant<Step>({ do: 'wait', seconds: TWO_WINDOWS });
  const whole = fc.constant(0);
  return weighted<readonly Step[]>(
    [5, fc.tuple(use(whole), beyond, told)],
    [5, fc.tuple(use(whole), alone)],
    [
      3,
      fc.tuple(use(fc.integer({ min: 1, max: 3 })), halfway, use(whole), insisting(key, requests, 1), told),
    ],
    [3, fc.tuple(use(fc.integer({ min: -8, max: -1 }), AT_ONCE), told)],
    [3, fc.tuple(use(whole), insisting(key, requests), insisting(key, requests), told)],
    [1, fc.tuple(use(whole), reset)],
    [2, fc.tuple(use(whole), insisting(key, requests, 1), twoWindows, insisting(key, requests, 1), told)],
    [1, fc.tuple(use(whole), MINUTE_EDGE)],
  );
}

/** One form again and again; by default more requests than two windows hold of a small limit. */
function insisting(
  key: number,
  requests: fc.Arbitrary<PlannedRequest>,
  ...times: readonly number[]
): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('send'),
    requests: fc.tuple(withKeyOf(key, requests)),
    times: fc.constantFrom(...(times.length === 0 ? [2, 5, 8] : times)),
    lane: ONE_AFTER_THE_OTHER,
  });
}

function withKeyOf(key: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<PlannedRequest> {
  return requests.map(({ operation, credential, extra }) => ({ key, operation, credential, extra }));
}

const ANY_WINDOW = weighted(
  [4, drawWindow(0, drawGoodRequest(1))],
  [3, drawWindow(0, drawAnyForm(1))],
  [1, drawWindow(1, drawAnyForm(1))],
);

export const MINUTES: fc.Arbitrary<Episode> = episodes({
  theme: 'minutes',
  keys: fc.array(SMALL, { minLength: 1, maxLength: 2 }),
  steps: fc.tuple(ANY_WINDOW, ANY_WINDOW).chain(([one, other]) =>
    // What a window of a kind shows once may be chance.
    fc
      .constantFrom([one, other, one], [one, one, one, other], [other, one, other, one])
      .map((all) => all.flat()),
  ),
});

/** A window that one form uses up, and other forms that go on, the refusal of each followed by the next. */
function drawFormsAtLimit(): fc.Arbitrary<readonly Step[]> {
  const list = drawGoodRequest(1, LIST_OPERATION);
  const update = drawGoodRequest(1, UPDATE_OPERATION);
  const usual = weighted([1, fc.tuple(list, update)], [1, fc.tuple(update, list)]);
  const form = weighted(
    [2, drawGoodRequest(1, DOCUMENTED_OPERATION)],
    [7, drawRequest({ operation: USUAL_SPELLING_OPERATION, keys: 1, credential: NONE, extra: NONE })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys: 1, credential: SPELLED_CREDENTIAL, extra: NONE })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys: 1, credential: NONE, extra: fc.nat({ max: 99 }) })],
  );
  return fc
    .tuple(usual, fc.array(form, { minLength: 8, maxLength: 8 }), SHIFTED)
    .map(([[one, second], forms, offset]) => {
      const inTurns = [one, second, ...forms, one];
      const window: readonly Step[] = [
        { do: 'use up', key: 0, leaving: 0, requests: [one], lane: 'shared' },
        { do: 'send', requests: inTurns, times: inTurns.length, lane: 'shared' },
        { do: 'wait out', key: 0, offset },
      ];
      return [window, window, window].flat();
    });
}

export const FORMS: fc.Arbitrary<Episode> = episodes({
  theme: 'forms at the limit',
  keys: fc.tuple(smallKey(fc.integer({ min: 2, max: 3 }))),
  steps: drawFormsAtLimit(),
});

/** A limit that holds for one request after the other, and then for many at once over many connections. */
export const CROWDS: fc.Arbitrary<Episode> = episodes({
  theme: 'crowds at the limit',
  keys: fc.tuple(smallKey(fc.integer({ min: 3, max: 6 }))),
  steps: fc
    .tuple(
      drawGoodRequest(1),
      fc.array(drawGoodRequest(1), { minLength: 1, maxLength: 3 }),
      fc.array(drawGoodRequest(1, UPDATE_OPERATION), { minLength: 1, maxLength: 2 }),
      AT_ONCE,
      SHIFTED,
    )
    .map(([one, several, updates, lane, offset]): readonly Step[] => {
      const next: Step = { do: 'wait out', key: 0, offset };
      const alone: Step = { do: 'use up', key: 0, leaving: -1, requests: [one], lane: 'shared' };
      return [
        alone,
        next,
        { do: 'use up', key: 0, leaving: -8, requests: several, lane },
        next,
        { do: 'use up', key: 0, leaving: -8, requests: updates, lane },
        next,
        { do: 'use up', key: 0, leaving: -2, requests: [one], lane: 'new' },
        next,
        { do: 'use up', key: 0, leaving: -2, requests: several, lane: 'new' },
        next,
        alone,
      ];
    }),
});

function times(count: number, steps: readonly Step[]): readonly Step[] {
  return Array.from({ length: count }, () => steps).flat();
}

/** Windows that are used up again and again after a little less than a minute. */
export const HURRIED: fc.Arbitrary<Episode> = fc
  .tuple(fc.integer({ min: 1, max: 2 }), drawGoodRequest(1), fc.constantFrom(52.5, 55.5, 56.5))
  .chain(([limit, one, seconds]) =>
    episodes({
      theme: 'hurry',
      keys: fc.tuple(smallKey(fc.constant(limit))),
      steps: fc.constant(
        times(15, [
          { do: 'send', requests: [one], times: limit, lane: 'shared' },
          { do: 'wait', seconds },
        ]),
      ),
    }),
  );

/** The same with days; whatever is shorter than this shows as well. */
export const HURRIED_DAYS: fc.Arbitrary<Episode> = fc
  .tuple(fc.integer({ min: 1, max: 2 }), drawGoodRequest(1), fc.constantFrom(72_100, 75_700))
  .chain(([limit, one, seconds]) =>
    episodes({
      theme: 'hurry for days',
      keys: fc.constant([enterpriseKey({ perMinute: 9, perDay: limit })]),
      steps: fc.constant(
        times(12, [
          { do: 'send', requests: [one], times: limit, lane: 'shared' },
          { do: 'wait', seconds },
        ]),
      ),
    }),
  );

/** Never as many requests within a minute as the limit. */
export const SLOW: fc.Arbitrary<Episode> = episodes({
  theme: 'slowness',
  keys: fc.tuple(smallKey(fc.integer({ min: 5, max: 6 }))),
  steps: fc.tuple(drawGoodRequest(1), fc.constantFrom(19, 21, 24)).map(([one, seconds]) =>
    times(14, [
      { do: 'send', requests: [one], times: 1, lane: 'shared' },
      { do: 'wait', seconds },
    ]),
  ),
});

const TOLD: fc.Arbitrary<Step> = fc.constant({ do: 'wait out', key: 0, offset: 0 });

// Whatever a ban does not tell of its length, it has ended by then.
const A_MONTH: fc.Arbitrary<Step> = fc.constant({ do: 'wait', seconds: LONGEST_TEMPORARY_SECONDS + 60 });

/** Keeps to what it is told, after it went on. */
const BETTERED: fc.Arbitrary<readonly Step[]> = fc.tuple(
  fc.record({
    do: fc.constant('use up' as const),
    key: fc.constant(0),
    leaving: fc.constant(-1),
    requests: fc.array(drawGoodRequest(1), { minLength: 1, maxLength: 2 }),
    lane: fc.constant<Lane>('shared'),
  }),
  TOLD,
  send(drawGoodRequest(1), { most: 2, lane: ONE_AFTER_THE_OTHER }),
);

/** The first key, and then the second one on the same connection. */
function bothInTurns(request: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<Step> {
  return fc.tuple(request, request, fc.constantFrom(2, 2, 4)).map(([one, other, times]): Step => ({
    do: 'send',
    requests: [one, { ...other, key: 1 }],
    times,
    lane: 'shared',
  }));
}

/** The second key by itself, so that it is known how it is counted. */
const WITNESS: fc.Arbitrary<Step> = drawGoodRequest(1).map((one) => ({
  do: 'send',
  requests: [{ ...one, key: 1 }],
  times: 4,
  lane: 'shared',
}));

/** Goes on after a 429 once or often, at once or after a while, and returns when told, or too early, or much later. */
const BAN_ROUND: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    drawUseUp(1, drawGoodRequest(1)),
    fc.constantFrom<Step>(
      { do: 'wait', seconds: 0 },
      { do: 'wait', seconds: 7 },
      { do: 'wait', seconds: 25 },
    ),
    send(drawGoodRequest(1), { most: 3, times: fc.constantFrom(1, 4, 12, 13, 14, 25) }),
    weighted<Step>([2, send(drawGoodRequest(2), { most: 3 })], [1, PAUSE], [1, waitOut(1)]),
    bothInTurns(drawGoodRequest(1)),
    weighted<Step>([5, TOLD], [1, waitOut(1)], [1, HOURS], [1, A_MONTH]),
    send(drawGoodRequest(1, DOCUMENTED_OPERATION), {
      most: 2,
      times: fc.constantFrom(1, 2, 3),
      lane: ONE_AFTER_THE_OTHER,
    }),
  )
  .map((round): readonly Step[] => round);

export const IMPATIENT: fc.Arbitrary<Episode> = episodes({
  theme: 'bans',
  keys: fc.tuple(smallKey(fc.integer({ min: 1, max: 5 })), smallKey(fc.integer({ min: 11, max: 14 }))),
  steps: fc
    .tuple(
      WITNESS,
      fc.array(BAN_ROUND, { minLength: 1, maxLength: 2 }),
      BETTERED,
      steps(
        weighted([1, drawUseUp(1, drawGoodRequest(1))], [1, waitOut(1)], [1, send(drawGoodRequest(2))]),
        0,
        3,
      ),
    )
    .map(([witness, rounds, bettered, after]) => [witness].concat(rounds.flat(), bettered, after)),
});

/** One that waits as it is told, for so many windows. */
export function patience(windows: fc.Arbitrary<number>): fc.Arbitrary<Episode> {
  return episodes({
    theme: 'patience',
    keys: fc.tuple(smallKey(fc.integer({ min: 1, max: 2 }))),
    steps: fc.tuple(
      patient(1, windows),
      weighted([1, send(drawGoodRequest(1), { most: 2 })], [1, waitOut(1)]),
    ),
  });
}

/** The same on several days. */
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
    .map((day) => times(5, day)),
});

function nearDay({ plan, limits }: Omit<EpisodeKey, 'leftToday'>): fc.Arbitrary<EpisodeKey> {
  return fc.record({
    plan: fc.constant(plan),
    limits: fc.constant(limits),
    leftToday: fc.integer({ min: 0, max: 3 }),
  });
}

const KEY_NEAR_ITS_DAY = weighted<EpisodeKey>(
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

export const MANY_KEYS: fc.Arbitrary<Episode> = episodes({
  theme: 'several keys',
  keys: fc.tuple(
    smallKey(fc.integer({ min: 1, max: 4 })),
    smallKey(fc.integer({ min: 3, max: 12 })),
    ROOMY_OF_ANY_PLAN,
    fc.constantFrom<EpisodeKey>(
      { plan: 'free', limits: null, leftToday: null },
      { plan: 'free', limits: null, leftToday: 20 },
      enterpriseKey({ perMinute: 6, perDay: 30 }),
    ),
  ),
  steps: steps(
    weighted(
      [4, drawUseUp(2, drawGoodRequest(2))],
      [3, send(drawGoodRequest(1), { most: 2, times: fc.constantFrom(2, 5, 12) })],
      [6, send(drawGoodRequest(4), { most: 6 })],
      [2, send(drawGoodRequest(4), { most: 12, lane: AT_ONCE })],
      [2, waitOut(2)],
      [1, PAUSE],
    ),
    6,
    12,
  ),
});

export const WHATEVER: fc.Arbitrary<Episode> = episodes({
  theme: 'anything',
  keys: fc.tuple(SMALL, ROOMY_OF_ANY_PLAN, KEY_NEAR_ITS_DAY),
  inventory: INVENTORY,
  steps: steps(
    weighted<Step>(
      [8, send(drawRequest({ operation: ANY_OPERATION, keys: 3 }), { most: 5 })],
      [4, drawUseUp(1, drawRequest({ operation: GOOD_OPERATION, keys: 1 }))],
      [2, waitOut(3)],
      [2, PAUSE],
      [1, MINUTE_EDGE],
      [1, fc.record({ do: fc.constant('replace inventory'), inventory: INVENTORY })],
      [
        1,
        fc.record({
          do: fc.constant('revoke'),
          key: fc.nat({ max: 2 }),
          underWay: fc.array(drawGoodRequest(3), { maxLength: 2 }),
        }),
      ],
    ),
    8,
    18,
  ),
});

/** The plans as they are sold, whose limits take many requests. */
export function wholePlan(plan: 'free' | 'pro' | 'business', windows: number): fc.Arbitrary<Episode> {
  const good = drawGoodRequest(1, DOCUMENTED_OPERATION);
  const mixed = plan === 'free' ? weighted([5, good], [2, drawAnyForm(1)]) : good;
  const window = fc
    .tuple(
      fc.array(mixed, { minLength: 2, maxLength: 4 }),
      good,
      drawGoodRequest(1, BODY_OPERATION),
      fc.constantFrom<Lane>(16, 4, 'shared'),
      SHIFTED,
    )
    .map(([several, one, body, lane, offset]): readonly Step[] => [
      { do: 'use up', key: 0, leaving: 5, requests: several, lane },
      { do: 'send', requests: [body], times: 1, lane: 'shared' },
      // The last ones one by one, since of several at once nobody knows which was refused first.
      { do: 'use up', key: 0, leaving: -2, requests: [one], lane: 'shared' },
      { do: 'send', requests: [body, one], times: 2, lane: 'shared' },
      { do: 'wait out', key: 0, offset },
    ]);
  return episodes({
    theme: `whole minutes of ${plan}`,
    keys: fc.constant([{ plan, limits: null, leftToday: null }]),
    steps: fc.array(window, { minLength: windows, maxLength: windows }).map((all) => all.flat()),
  });
}

/** The limit of the next smaller plan is enough to tell the two apart. */
export const A_THIRD_OF_BUSINESS: fc.Arbitrary<Episode> = episodes({
  theme: 'a third of a minute of business',
  keys: fc.constant([{ plan: 'business', limits: null, leftToday: null }]),
  steps: fc.tuple(
    fc.record({
      do: fc.constant('use up' as const),
      key: fc.constant(0),
      leaving: fc.constant(690),
      requests: fc.array(drawGoodRequest(1), { minLength: 1, maxLength: 4 }),
      lane: fc.constant<Lane>(16),
    }),
    send(drawGoodRequest(1), { most: 2 }),
  ),
});
