import * as fc from 'fast-check';
import type { PlanLimits } from '../../../contract/plans.ts';
import { openDealer } from './deal-entries.ts';
import {
  ANY_OPERATION,
  BODY_OPERATION,
  DOCUMENTED_OPERATION,
  drawGoodRequest,
  drawRequest,
  drawStrangerRequest,
  GOOD_OPERATION,
  LIST_OPERATION,
  SPELLED_CREDENTIAL,
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

// Of very small limits a sliding counter may hold back the last request for two windows.
const SMALL = smallKey(
  weighted(
    [1, fc.integer({ min: 1, max: 2 })],
    [4, fc.integer({ min: 3, max: 6 })],
    [1, fc.integer({ min: 7, max: 14 })],
  ),
);
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

/** Bodies that may have to be refused, and what they must not change. */
const BODIES: fc.Arbitrary<Episode> = episodes({
  theme: 'bodies',
  keys: fc.tuple(ROOMY),
  steps: steps(
    weighted(
      [4, send(drawGoodRequest(1, BODY_OPERATION), { most: 4, lane: ONE_AFTER_THE_OTHER })],
      [2, send(drawGoodRequest(1, LIST_OPERATION), { most: 1 })],
    ),
    10,
    14,
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
      [2, send(drawStrangerRequest(2, SPELLING_OPERATION), { most: 3, lane: ONE_AFTER_THE_OTHER })],
      [
        1,
        send(
          drawRequest({
            operation: ANY_OPERATION,
            keys: 2,
            credential: fc.record({ of: fc.constant('all'), entry: fc.nat({ max: 999 }) }),
          }),
          {
            most: 3,
          },
        ),
      ],
    ),
    8,
    20,
  ),
});

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

const MINUTES: fc.Arbitrary<Episode> = episodes({
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

const DAYS: fc.Arbitrary<Episode> = episodes({
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
function wholePlan(plan: 'free' | 'pro' | 'business', windows: number): fc.Arbitrary<Episode> {
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
const A_THIRD_OF_BUSINESS: fc.Arbitrary<Episode> = episodes({
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
  BODIES,
  WHATEVER,
  STRANGERS,
);
/** Rounds with episodes that take many requests. */
const DEAR: readonly (readonly [episode: fc.Arbitrary<Episode>, from: number, every: number])[] = [
  [wholePlan('free', 2), 0, 2],
  [wholePlan('free', 1), 1, 4],
  [LONG_LIST, 1, 4],
  [wholePlan('pro', 1), 1, 6],
  [A_THIRD_OF_BUSINESS, 2, 6],
  [wholePlan('business', 2), 11, 12],
];

/** Themes that need neither keys nor an inventory of their own. */
const CAREFUL_ROUND = fc.tuple(ENTRY, STRANGERS, BODIES, SIMULTANEOUS);

/** Episodes for a target whose limits are kept, whose time is not moved, and whose pets are put back. */
export function* drawCarefulEpisodes(seed: number): Generator<Episode, never> {
  const { deal } = openDealer(seed % SEED_STEPS);
  for (let round = 0; ; round += 1) {
    yield* draw(CAREFUL_ROUND, seed, round).map(deal);
  }
}

/** The episodes of a seed, without an end; the same for the same seed. */
export function* drawEpisodes(seed: number): Generator<Episode, never> {
  const { deal } = openDealer(seed % SEED_STEPS);
  for (let round = 0; ; round += 1) {
    yield* draw(ROUND, seed, round).map(deal);
    for (const [episode, from, every] of DEAR) {
      if (round % every === from % every && round >= from) {
        yield deal(draw(episode, seed, round));
      }
    }
  }
}

// More than any corpus has entries.
const SEED_STEPS = 1_009;
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
