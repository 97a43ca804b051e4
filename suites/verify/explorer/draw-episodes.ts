import * as fc from 'fast-check';
import type { PlanLimits } from '../../../contract/plans.ts';
import {
  ANY_OPERATION,
  DOCUMENTED_OPERATION,
  drawGoodRequest,
  drawRequest,
  drawStrangerRequest,
  GOOD_OPERATION,
  LIST_OPERATION,
  SPELLING_OPERATION,
  weighted,
  WRITING_OPERATION,
} from './draw-requests.ts';
import type { Episode, EpisodeInventory, EpisodeKey, Lane, PlannedRequest, Start, Step } from './episode.ts';

// Pets that a double, an int32 or a comparison of prefixes confuses stand first in the store for checks.
const EDGES: fc.Arbitrary<EpisodeInventory> = fc.record({
  of: fc.constant('edges'),
  indexes: fc.uniqueArray(fc.nat({ max: 44 }), { minLength: 3, maxLength: 14 }),
});
const ALL_EDGES: EpisodeInventory = { of: 'edges', indexes: Array.from({ length: 45 }, (_, index) => index) };
const FEW: fc.Arbitrary<EpisodeInventory> = fc.record({
  of: fc.constant('edges'),
  indexes: fc.uniqueArray(fc.nat({ max: 44 }), { minLength: 0, maxLength: 1 }),
});
const INVENTORY = weighted([6, EDGES], [6, fc.constant(ALL_EDGES)], [2, FEW]);
const SMALL_INVENTORY: fc.Arbitrary<EpisodeInventory> = fc.record({
  of: fc.constant('edges'),
  indexes: fc.uniqueArray(fc.nat({ max: 44 }), { minLength: 3, maxLength: 4 }),
});

const ONE_AFTER_THE_OTHER: fc.Arbitrary<Lane> = fc.constantFrom('shared', 'shared', 'own', 'new');
const AT_ONCE: fc.Arbitrary<Lane> = fc.constantFrom(2, 4, 8, 16);
const LANE: fc.Arbitrary<Lane> = weighted([3, ONE_AFTER_THE_OTHER], [1, AT_ONCE]);

const ANY_START: fc.Arbitrary<Start> = weighted<Start>(
  [3, fc.constant(null)],
  [2, fc.record({ of: fc.constant('minute'), second: fc.constantFrom(0, 1, 20, 30, 45, 58, 59) })],
);
const BEFORE_MIDNIGHT: fc.Arbitrary<Start> = fc.record({
  of: fc.constant('day'),
  secondsLeft: fc.constantFrom(1, 10, 61, 90, 200, 3_700, 43_200, 80_000),
});

/** A key whose limits are reached with few requests. */
function smallKey(perMinute: fc.Arbitrary<number>): fc.Arbitrary<EpisodeKey> {
  return perMinute.map((limit) => enterpriseKey({ perMinute: limit, perDay: 4_000 }));
}

function enterpriseKey(limits: PlanLimits, leftToday: number | null = null): EpisodeKey {
  return { plan: 'enterprise', limits, leftToday };
}

const SMALL = smallKey(weighted([4, fc.integer({ min: 1, max: 5 })], [2, fc.integer({ min: 6, max: 14 })]));
/** A key whose limit is never reached. */
const ROOMY: fc.Arbitrary<EpisodeKey> = fc.constant(enterpriseKey({ perMinute: 5_000, perDay: 50_000 }));
const ROOMY_OF_ANY_PLAN: fc.Arbitrary<EpisodeKey> = fc.constantFrom<EpisodeKey>(
  enterpriseKey({ perMinute: 5_000, perDay: 50_000 }),
  { plan: 'free', limits: null, leftToday: null },
  { plan: 'pro', limits: null, leftToday: null },
  { plan: 'business', limits: null, leftToday: null },
);

function send(
  requests: fc.Arbitrary<PlannedRequest>,
  {
    most = 4,
    times,
    lane = LANE,
  }: { most?: number; times?: fc.Arbitrary<number>; lane?: fc.Arbitrary<Lane> } = {},
): fc.Arbitrary<Step> {
  const several = fc.array(requests, { minLength: 1, maxLength: most });
  return fc
    .record({ requests: several, times: times ?? fc.constant(null), lane })
    .map(({ requests, times, lane }) => ({ do: 'send', requests, times: times ?? requests.length, lane }));
}

const PAUSE: fc.Arbitrary<Step> = fc
  .constantFrom(0.4, 1, 2, 3, 5.5, 11, 25, 29.9, 30, 31, 45, 59, 60, 61, 90, 121, 301)
  .map((seconds) => ({ do: 'wait', seconds }));
const MINUTE_EDGE: fc.Arbitrary<Step> = fc
  .constantFrom(-0.5, 0, 0.5, 1, 30)
  .map((offset) => ({ do: 'wait for edge', of: 'minute', offset }));
const DAY_EDGE: fc.Arbitrary<Step> = fc
  .constantFrom(-1, 0, 0.5, 2, 43_200)
  .map((offset) => ({ do: 'wait for edge', of: 'day', offset }));
const HOURS: fc.Arbitrary<Step> = fc
  .constantFrom(3_601, 7_200, 43_200, 72_100, 86_399, 86_401, 172_801)
  .map((seconds) => ({ do: 'wait', seconds }));

function waitOut(keys: number): fc.Arbitrary<Step> {
  const key = fc.nat({ max: keys - 1 });
  return weighted<Step>(
    [6, fc.record({ do: fc.constant('wait out'), key, offset: fc.constantFrom(0, 0, 0, 0.5, 1) })],
    [1, fc.record({ do: fc.constant('wait out'), key, offset: fc.constantFrom(-1, 30) })],
    [2, fc.record({ do: fc.constant('wait for reset'), key, offset: fc.constantFrom(0, 0, 1) })],
  );
}

function useUp(keys: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('use up'),
    key: fc.nat({ max: keys - 1 }),
    leaving: weighted([6, fc.constant(0)], [2, fc.nat({ max: 3 })], [3, fc.constant(-1)]),
    requests: fc.array(requests, { minLength: 1, maxLength: 4 }),
    lane: LANE,
  });
}

function patient(keys: number, windows: fc.Arbitrary<number>): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('be patient'),
    key: fc.nat({ max: keys - 1 }),
    windows,
    requests: fc.array(drawGoodRequest(keys), { minLength: 1, maxLength: 3 }),
  });
}

function steps(step: fc.Arbitrary<Step>, least: number, most: number): fc.Arbitrary<readonly Step[]> {
  return withRepeats(fc.array(step, { minLength: least, maxLength: most, size: 'max' }));
}

const REPEATED = 0.2;

/** Some steps in place of which an earlier one comes again. */
function withRepeats(drawn: fc.Arbitrary<Step[]>): fc.Arbitrary<readonly Step[]> {
  return fc
    .tuple(
      drawn,
      fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat()), {
        minLength: 60,
        maxLength: 60,
      }),
    )
    .map(([steps, choices]) =>
      steps.map((step, index) => {
        const [chance, back] = choices[index % choices.length] ?? [1, 0];
        return index > 0 && chance < REPEATED ? (steps[back % index] ?? step) : step;
      }),
    );
}

interface Theme {
  readonly theme: string;
  readonly start?: fc.Arbitrary<Start>;
  readonly keys: fc.Arbitrary<readonly EpisodeKey[]>;
  readonly inventory?: fc.Arbitrary<EpisodeInventory>;
  readonly steps: fc.Arbitrary<readonly Step[]>;
}

function episodes({ theme, start, keys, inventory, steps }: Theme): fc.Arbitrary<Episode> {
  return fc.record({
    theme: fc.constant(theme),
    start: start ?? ANY_START,
    keys,
    inventory: inventory ?? SMALL_INVENTORY,
    steps,
  });
}

/** Each write is followed by what shows it, over any connection and with any key. */
const ENTRY: fc.Arbitrary<Episode> = episodes({
  theme: 'inventory',
  keys: fc.array(ROOMY_OF_ANY_PLAN, { minLength: 1, maxLength: 3 }),
  inventory: INVENTORY,
  steps: steps(
    weighted(
      [
        8,
        send(drawRequest({ operation: WRITING_OPERATION, keys: 3, credential: fc.constant(null) }), {
          most: 3,
        }),
      ],
      [6, send(drawGoodRequest(3, LIST_OPERATION), { most: 1 })],
      [1, send(drawRequest({ operation: ANY_OPERATION, keys: 3 }), { most: 2 })],
      [1, PAUSE],
    ),
    10,
    24,
  ),
});

const SIMULTANEOUS: fc.Arbitrary<Episode> = episodes({
  theme: 'updates at once',
  keys: fc.array(ROOMY, { minLength: 2, maxLength: 2 }),
  inventory: fc.constantFrom(ALL_EDGES),
  steps: steps(
    weighted(
      [3, send(drawGoodRequest(2), { most: 12, lane: AT_ONCE })],
      [2, send(drawGoodRequest(2, LIST_OPERATION), { most: 1 })],
    ),
    3,
    8,
  ),
});

const STRANGERS: fc.Arbitrary<Episode> = episodes({
  theme: 'credentials',
  keys: fc.array(ROOMY_OF_ANY_PLAN, { minLength: 1, maxLength: 2 }),
  steps: steps(
    weighted(
      [6, send(drawStrangerRequest(2), { most: 4, lane: ONE_AFTER_THE_OTHER })],
      [2, send(drawGoodRequest(2), { most: 2, lane: ONE_AFTER_THE_OTHER })],
      [
        1,
        send(drawRequest({ operation: ANY_OPERATION, keys: 2, credential: fc.nat({ max: 999 }) }), {
          most: 3,
        }),
      ],
    ),
    8,
    20,
  ),
});

const MINUTES: fc.Arbitrary<Episode> = episodes({
  theme: 'minutes',
  keys: fc.array(SMALL, { minLength: 1, maxLength: 2 }),
  steps: steps(
    weighted(
      [6, useUp(2, drawGoodRequest(2))],
      [2, useUp(2, drawRequest({ operation: ANY_OPERATION, keys: 2 }))],
      [4, send(drawGoodRequest(2), { most: 3 })],
      [2, send(drawRequest({ operation: SPELLING_OPERATION, keys: 2 }), { most: 3 })],
      [1, send(drawRequest({ operation: ANY_OPERATION, keys: 2 }), { most: 3 })],
      [6, waitOut(2)],
      [2, PAUSE],
      [1, MINUTE_EDGE],
    ),
    6,
    14,
  ),
});

/** Goes on after a 429 once or often, at once or after a while, and returns when told, or too early, or much later. */
const BAN_ROUND: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    useUp(1, drawGoodRequest(1)),
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

const IMPATIENT: fc.Arbitrary<Episode> = episodes({
  theme: 'bans',
  keys: fc.tuple(smallKey(fc.integer({ min: 1, max: 4 })), SMALL),
  steps: fc
    .tuple(
      fc.array(BAN_ROUND, { minLength: 1, maxLength: 3 }),
      steps(
        weighted([1, useUp(1, drawGoodRequest(1))], [1, waitOut(1)], [1, send(drawGoodRequest(2))]),
        0,
        4,
      ),
    )
    .map(([rounds, after]) => rounds.flat().concat(after)),
});

const PATIENT: fc.Arbitrary<Episode> = episodes({
  theme: 'patience',
  keys: fc.tuple(smallKey(fc.integer({ min: 1, max: 3 }))),
  steps: fc.tuple(
    patient(1, fc.constantFrom(2, 3, 11, 11, 22)),
    weighted([1, send(drawGoodRequest(1), { most: 2 })], [1, waitOut(1)]),
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

const DAYS: fc.Arbitrary<Episode> = episodes({
  theme: 'days',
  start: weighted<Start>([3, BEFORE_MIDNIGHT], [2, ANY_START]),
  keys: fc.array(KEY_NEAR_ITS_DAY, { minLength: 1, maxLength: 3 }),
  steps: steps(
    weighted(
      [6, useUp(3, drawGoodRequest(3))],
      [5, send(drawGoodRequest(3), { most: 3 })],
      [5, waitOut(3)],
      [2, HOURS],
      [2, PAUSE],
      [2, DAY_EDGE],
    ),
    6,
    14,
  ),
});

const MANY_KEYS: fc.Arbitrary<Episode> = episodes({
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
      [4, useUp(2, drawGoodRequest(2))],
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

const REVOKED: fc.Arbitrary<Episode> = episodes({
  theme: 'revocation',
  keys: fc.array(ROOMY_OF_ANY_PLAN, { minLength: 2, maxLength: 2 }),
  steps: fc
    .tuple(
      steps(send(drawGoodRequest(2), { most: 6 }), 1, 3),
      fc.record({
        do: fc.constant('revoke' as const),
        key: fc.constant(0),
        underWay: fc.array(drawGoodRequest(1), { maxLength: 3 }),
      }),
      steps(
        weighted(
          [
            6,
            send(drawRequest({ operation: ANY_OPERATION, keys: 1, credential: fc.constant(null) }), {
              most: 3,
              lane: ONE_AFTER_THE_OTHER,
            }),
          ],
          [2, send(drawGoodRequest(2), { most: 2 })],
          [1, PAUSE],
        ),
        3,
        7,
      ),
    )
    .map(([before, revoke, after]) => before.concat(revoke, after)),
});

const WHATEVER: fc.Arbitrary<Episode> = episodes({
  theme: 'anything',
  keys: fc.tuple(SMALL, ROOMY_OF_ANY_PLAN, KEY_NEAR_ITS_DAY),
  inventory: INVENTORY,
  steps: steps(
    weighted<Step>(
      [8, send(drawRequest({ operation: ANY_OPERATION, keys: 3 }), { most: 5 })],
      [4, useUp(1, drawRequest({ operation: GOOD_OPERATION, keys: 1 }))],
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
function wholePlan(plan: 'free' | 'pro' | 'business'): fc.Arbitrary<Episode> {
  return episodes({
    theme: `a whole minute of ${plan}`,
    keys: fc.constant([{ plan, limits: null, leftToday: null }]),
    steps: fc.tuple(
      fc.record({
        do: fc.constant('use up' as const),
        key: fc.constant(0),
        leaving: fc.constant(0),
        requests: fc.array(drawGoodRequest(1, DOCUMENTED_OPERATION), { minLength: 1, maxLength: 4 }),
        lane: fc.constant<Lane>(16),
      }),
      send(drawGoodRequest(1), {
        most: 2,
        times: fc.constant(plan === 'free' ? 6 : 2),
        lane: fc.constant('shared'),
      }),
      waitOut(1),
      send(drawGoodRequest(1), { most: 2, lane: fc.constant('shared') }),
    ),
  });
}

const LONG_LIST: fc.Arbitrary<Episode> = episodes({
  theme: 'a long list',
  keys: fc.tuple(ROOMY),
  inventory: fc.constantFrom<EpisodeInventory>(
    { of: 'seeded', size: 1_100 },
    { of: 'seeded', size: 300 },
    { of: 'seeded', size: 2_100 },
  ),
  steps: steps(send(drawGoodRequest(1), { most: 1 }), 2, 3),
});

/** Themes of a round, each of which comes once; the dear ones only in some rounds. */
const ROUND = fc.tuple(
  ENTRY,
  MINUTES,
  STRANGERS,
  IMPATIENT,
  DAYS,
  MANY_KEYS,
  REVOKED,
  ENTRY,
  PATIENT,
  MINUTES,
  DAYS,
  SIMULTANEOUS,
  WHATEVER,
  STRANGERS,
);
const DEAR_FROM = { free: 1, pro: 2, business: 3, list: 1 } as const;

/** The episodes of a seed, without an end; the same for the same seed. */
export function* drawEpisodes(seed: number): Generator<Episode, never> {
  for (let round = 0; ; round += 1) {
    yield* draw(ROUND, seed, round);
    if (round === DEAR_FROM.list) {
      yield draw(LONG_LIST, seed, round);
    }
    if (round % 2 === DEAR_FROM.free) {
      yield draw(wholePlan('free'), seed, round);
    }
    if (round === DEAR_FROM.pro) {
      yield draw(wholePlan('pro'), seed, round);
    }
    if (round === DEAR_FROM.business) {
      yield draw(wholePlan('business'), seed, round);
    }
  }
}

// Far enough apart that rounds of neighbouring seeds differ.
const ROUND_STRIDE = 0x9e37_79b1;

function draw<Value>(arbitrary: fc.Arbitrary<Value>, seed: number, round: number): Value {
  const [value] = fc.sample(arbitrary, {
    seed: (seed + Math.imul(round + 1, ROUND_STRIDE)) | 0,
    numRuns: 1,
    unbiased: true,
  });
  if (value === undefined) {
    throw new Error('fast-check drew nothing');
  }
  return value;
}
