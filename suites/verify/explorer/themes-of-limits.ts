import * as fc from 'fast-check';
import type { Episode, EpisodeKey, Lane, PlannedRequest, Start, Step } from './episode.ts';
import {
  ANY_OPERATION,
  BODY_OPERATION,
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
const LEFT_ALONE = fc.constantFrom(55.5, 58, 60.5, 63, 66, 75, 85, 88, 125);

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
  const whole = fc.constant(0);
  return weighted<readonly Step[]>(
    [5, fc.tuple(use(whole), beyond, told)],
    [3, fc.tuple(use(whole), alone)],
    [
      2,
      fc.tuple(
        use(fc.integer({ min: 1, max: 3 })),
        weighted([1, alone], [2, PAUSE]),
        use(whole),
        beyond,
        told,
      ),
    ],
    [3, fc.tuple(use(fc.integer({ min: -8, max: -1 }), AT_ONCE), told)],
    [3, fc.tuple(use(whole), insisting(key, requests), insisting(key, requests), told)],
    [1, fc.tuple(use(whole), reset)],
    [1, fc.tuple(use(whole), MINUTE_EDGE)],
  );
}

/** More requests of one form than two windows hold of a small limit. */
function insisting(key: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('send'),
    requests: fc.tuple(withKeyOf(key, requests)),
    times: fc.constantFrom(2, 5, 8),
    lane: ONE_AFTER_THE_OTHER,
  });
}

function withKeyOf(key: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<PlannedRequest> {
  return requests.map(({ operation, credential, extra }) => ({ key, operation, credential, extra }));
}

function windows(
  window: fc.Arbitrary<readonly Step[]>,
  least: number,
  most: number,
): fc.Arbitrary<readonly Step[]> {
  return fc.array(window, { minLength: least, maxLength: most }).map((all) => all.flat());
}

export const MINUTES: fc.Arbitrary<Episode> = episodes({
  theme: 'minutes',
  keys: fc.array(SMALL, { minLength: 1, maxLength: 2 }),
  steps: windows(
    weighted(
      [4, drawWindow(0, drawGoodRequest(1))],
      [3, drawWindow(0, drawAnyForm(1))],
      [1, drawWindow(1, drawAnyForm(1))],
    ),
    2,
    5,
  ),
});

/** Goes on after a 429 once or often, at once or after a while, and returns when told, or too early, or much later. */
const BAN_ROUND: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    drawUseUp(1, drawGoodRequest(1)),
    fc.constantFrom<Step>(
      { do: 'wait', seconds: 0 },
      { do: 'wait', seconds: 7 },
      { do: 'wait', seconds: 25 },
    ),
    send(drawGoodRequest(1), { most: 3, times: fc.constantFrom(1, 2, 5, 12, 13, 25) }),
    weighted<Step>([2, send(drawGoodRequest(2), { most: 3 })], [1, PAUSE], [1, waitOut(1)]),
    send(drawGoodRequest(2), { most: 3, times: fc.constantFrom(1, 2, 4) }),
    weighted<Step>([4, waitOut(1)], [1, HOURS]),
    send(drawGoodRequest(1, DOCUMENTED_OPERATION), { most: 2, times: fc.constantFrom(1, 2, 3) }),
  )
  .map((round): readonly Step[] => round);

export const IMPATIENT: fc.Arbitrary<Episode> = episodes({
  theme: 'bans',
  keys: fc.tuple(smallKey(fc.integer({ min: 1, max: 4 })), SMALL),
  steps: fc
    .tuple(
      fc.array(BAN_ROUND, { minLength: 1, maxLength: 3 }),
      steps(
        weighted([1, drawUseUp(1, drawGoodRequest(1))], [1, waitOut(1)], [1, send(drawGoodRequest(2))]),
        0,
        4,
      ),
    )
    .map(([rounds, after]) => rounds.flat().concat(after)),
});

export const PATIENT: fc.Arbitrary<Episode> = episodes({
  theme: 'patience',
  keys: fc.tuple(smallKey(fc.integer({ min: 1, max: 3 }))),
  steps: weighted<readonly Step[]>(
    [
      3,
      fc.tuple(
        patient(1, fc.constantFrom(3, 11, 14, 22, 22)),
        weighted([1, send(drawGoodRequest(1), { most: 2 })], [1, waitOut(1)]),
      ),
    ],
    [
      1,
      windows(
        fc.tuple(
          patient(1, fc.constant(1)),
          fc.constantFrom<Step>({ do: 'wait', seconds: 86_401 }, { do: 'wait', seconds: 3_601 }),
        ),
        4,
        6,
      ),
    ],
  ),
});

function nearDay({ plan, limits }: Omit<EpisodeKey, 'leftToday'>): fc.Arbitrary<EpisodeKey> {
  return fc.record({
    plan: fc.constant(plan),
    limits: fc.constant(limits),
    leftToday: fc.integer({ min: 0, max: 6 }),
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

/** A day that is used up, and what comes after it. */
function drawDay(key: number): fc.Arbitrary<readonly Step[]> {
  const use: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('use up'),
    key: fc.constant(key),
    leaving: weighted([4, fc.constant(0)], [1, fc.integer({ min: 1, max: 2 })]),
    requests: fc.array(drawGoodRequest(1), { minLength: 1, maxLength: 2 }),
    lane: LANE,
  });
  const beyond = send(withKeyOf(key, drawGoodRequest(1)), {
    most: 3,
    times: fc.constantFrom(1, 2, 2, 4),
    lane: ONE_AFTER_THE_OTHER,
  });
  const told: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('wait out'),
    key: fc.constant(key),
    offset: fc.constantFrom(0, 0, 1, 4_000),
  });
  return weighted<readonly Step[]>(
    [3, fc.tuple(use, beyond, weighted<Step>([2, PAUSE], [2, HOURS], [2, told], [1, DAY_EDGE]), beyond)],
    [2, fc.tuple(use, weighted<Step>([2, PAUSE], [2, HOURS], [1, DAY_EDGE]), beyond, told, beyond)],
    [2, fc.tuple(use, beyond, told, use, beyond)],
  );
}

export const DAYS: fc.Arbitrary<Episode> = episodes({
  theme: 'days',
  start: weighted<Start>([2, BEFORE_MIDNIGHT], [3, ANY_START]),
  keys: fc.tuple(
    nearDay({ plan: 'free', limits: null }),
    nearDay({ plan: 'pro', limits: null }),
    nearDay({ plan: 'business', limits: null }),
    weighted<EpisodeKey>(
      [2, nearDay({ plan: 'enterprise', limits: { perMinute: 50, perDay: 210 } })],
      [1, nearDay({ plan: 'enterprise', limits: { perMinute: 300, perDay: 250_000 } })],
      [2, fc.integer({ min: 4, max: 9 }).map((perDay) => enterpriseKey({ perMinute: 3, perDay }))],
    ),
  ),
  steps: fc
    .tuple(drawDay(0), drawDay(1), drawDay(2), drawDay(3), drawDay(0))
    .chain((days) => fc.shuffledSubarray(days, { minLength: 2, maxLength: 5 }))
    .map((days) => days.flat()),
});

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
  const form = weighted([5, drawGoodRequest(1, DOCUMENTED_OPERATION)], [1, drawAnyForm(1)]);
  const window: fc.Arbitrary<readonly Step[]> = fc.tuple(
    fc.record({
      do: fc.constant('use up' as const),
      key: fc.constant(0),
      leaving: fc.constant(0),
      requests: fc.array(form, { minLength: 1, maxLength: 4 }),
      lane: fc.constantFrom<Lane>(16, 4, 'shared'),
    }),
    send(drawGoodRequest(1, BODY_OPERATION), { most: 1 }),
    send(drawGoodRequest(1), { most: 3, times: fc.constantFrom(2, 3, 4), lane: fc.constant('shared') }),
    fc.record({ do: fc.constant('wait out' as const), key: fc.constant(0), offset: SHIFTED }),
  );
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
