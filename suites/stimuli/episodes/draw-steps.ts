import * as fc from 'fast-check';
import type { Episode, EpisodeInventory, EpisodeKey, Lane, PlannedRequest, Start, Step } from './episode.ts';
import type { PlanLimits } from '../../../contract/plans.ts';
import { drawGoodRequest, weighted } from './draw-requests.ts';

// Pets that a double, an int32 or a comparison of prefixes confuses stand first in the store for checks.
const EDGES: fc.Arbitrary<EpisodeInventory> = fc.record({
  of: fc.constant('edges'),
  indexes: fc.uniqueArray(fc.nat({ max: 45 }), { minLength: 3, maxLength: 14 }),
});
export const ALL_EDGES: EpisodeInventory = {
  of: 'edges',
  indexes: Array.from({ length: 45 }, (_, index) => index),
};
/** The largest petId stands last. */
export const WITH_LARGEST: EpisodeInventory = {
  of: 'edges',
  indexes: Array.from({ length: 46 }, (_, index) => index),
};
const FEW: fc.Arbitrary<EpisodeInventory> = fc.record({
  of: fc.constant('edges'),
  indexes: fc.uniqueArray(fc.nat({ max: 44 }), { minLength: 0, maxLength: 1 }),
});
export const INVENTORY = weighted([6, EDGES], [6, fc.constant(ALL_EDGES)], [2, FEW]);
const SMALL_INVENTORY: fc.Arbitrary<EpisodeInventory> = fc.record({
  of: fc.constant('edges'),
  indexes: fc.uniqueArray(fc.nat({ max: 44 }), { minLength: 3, maxLength: 4 }),
});

export const ONE_AFTER_THE_OTHER: fc.Arbitrary<Lane> = fc.constantFrom('shared', 'shared', 'own', 'new');
export const AT_ONCE: fc.Arbitrary<Lane> = fc.constantFrom(2, 4, 8, 16);
export const LANE: fc.Arbitrary<Lane> = weighted([3, ONE_AFTER_THE_OTHER], [1, AT_ONCE]);

export const ANY_START: fc.Arbitrary<Start> = weighted<Start>(
  [3, fc.constant(null)],
  [2, fc.record({ of: fc.constant('minute'), second: fc.constantFrom(0, 1, 20, 30, 45, 58, 59) })],
);
export const BEFORE_MIDNIGHT: fc.Arbitrary<Start> = fc.record({
  of: fc.constant('day'),
  secondsLeft: fc.constantFrom(1, 10, 61, 90, 200, 3_700, 43_200, 80_000),
});

/** A key whose limits are reached with few requests. */
export function smallKey(perMinute: fc.Arbitrary<number>): fc.Arbitrary<EpisodeKey> {
  return perMinute.map((limit) => enterpriseKey({ perMinute: limit, perDay: 4_000 }));
}

export function enterpriseKey(limits: PlanLimits, leftToday: number | null = null): EpisodeKey {
  return { plan: 'enterprise', limits, leftToday };
}

// Of very small limits a sliding counter may hold back the last request for two windows.
export const SMALL = smallKey(
  weighted(
    [1, fc.integer({ min: 1, max: 2 })],
    [4, fc.integer({ min: 3, max: 6 })],
    [1, fc.integer({ min: 7, max: 14 })],
  ),
);
/** A key whose limit is never reached. */
export const ROOMY: fc.Arbitrary<EpisodeKey> = fc.constant(
  enterpriseKey({ perMinute: 5_000, perDay: 50_000 }),
);
export const ROOMY_OF_ANY_PLAN: fc.Arbitrary<EpisodeKey> = fc.constantFrom<EpisodeKey>(
  enterpriseKey({ perMinute: 5_000, perDay: 50_000 }),
  { plan: 'free', limits: null, leftToday: null },
  { plan: 'pro', limits: null, leftToday: null },
  { plan: 'business', limits: null, leftToday: null },
);

export function send(
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

export const PAUSE: fc.Arbitrary<Step> = fc
  .constantFrom(0.4, 1, 2, 3, 5.5, 11, 25, 29.9, 30, 31, 45, 59, 60, 61, 90, 121, 301)
  .map((seconds) => ({ do: 'wait', seconds }));
export const MINUTE_EDGE: fc.Arbitrary<Step> = fc
  .constantFrom(-0.5, 0, 0.5, 1, 30)
  .map((offset) => ({ do: 'wait for edge', of: 'minute', offset }));
export const DAY_EDGE: fc.Arbitrary<Step> = fc
  .constantFrom(-1, 0, 0.5, 2, 43_200)
  .map((offset) => ({ do: 'wait for edge', of: 'day', offset }));
export const HOURS: fc.Arbitrary<Step> = fc
  .constantFrom(3_601, 7_200, 43_200, 72_100, 86_399, 86_401, 172_801)
  .map((seconds) => ({ do: 'wait', seconds }));

export function waitOut(keys: number): fc.Arbitrary<Step> {
  const key = fc.nat({ max: keys - 1 });
  return weighted<Step>(
    [6, fc.record({ do: fc.constant('wait out'), key, offset: fc.constantFrom(0, 0, 0, 0.5, 1) })],
    [1, fc.record({ do: fc.constant('wait out'), key, offset: fc.constantFrom(-1, 30) })],
    [2, fc.record({ do: fc.constant('wait for reset'), key, offset: fc.constantFrom(0, 0, 1) })],
  );
}

export function drawUseUp(keys: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('use up'),
    key: fc.nat({ max: keys - 1 }),
    leaving: weighted([6, fc.constant(0)], [2, fc.nat({ max: 3 })], [3, fc.constant(-1)]),
    requests: fc.array(requests, { minLength: 1, maxLength: 4 }),
    lane: LANE,
  });
}

export function patient(keys: number, windows: fc.Arbitrary<number>): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('be patient'),
    key: fc.nat({ max: keys - 1 }),
    windows,
    requests: fc.array(drawGoodRequest(keys), { minLength: 1, maxLength: 3 }),
  });
}

export function steps(step: fc.Arbitrary<Step>, least: number, most: number): fc.Arbitrary<readonly Step[]> {
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

export function episodes({ theme, start, keys, inventory, steps }: Theme): fc.Arbitrary<Episode> {
  return fc.record({
    theme: fc.constant(theme),
    start: start ?? ANY_START,
    keys,
    inventory: inventory ?? SMALL_INVENTORY,
    steps,
  });
}

/** The same steps again and again. */
export function repeatSteps(count: number, steps: readonly Step[]): readonly Step[] {
  return Array.from({ length: count }, () => steps).flat();
}
