import type { InventoryItem } from '../../../contract/inventory.ts';
import { INT64_MAX } from '../../../contract/json/index.ts';
import type { Plan, PlanLimits } from '../../../contract/plans.ts';
import { storeForChecks } from '../../../fixtures/corpora/index.ts';
import type { KeyNeed } from '../../target/index.ts';
import { between, anyOf, several, shuffled, weighted, type Draw } from './dice.ts';
import type { Episode, Lane, PlannedRequest, Start, Step } from './episode.ts';

import { drawGoodRequest } from './draw-requests.ts';

// Pets that a double, an int32 or a comparison of prefixes confuses stand first. Checks leave the largest petId out, which
// stands last, so that it is unknown.
export const WITH_LARGEST: readonly InventoryItem[] = [
  ...storeForChecks(),
  { petId: INT64_MAX, quantity: 21, status: 'pending' },
];
export const ALL_EDGES = WITH_LARGEST.slice(0, -1);

function edges(least: number, most: number): Draw<readonly InventoryItem[]> {
  return (dice) => {
    const chosen = new Set(shuffled(WITH_LARGEST, dice.between(least, most))(dice));
    return WITH_LARGEST.filter((item) => chosen.has(item));
  };
}

export const INVENTORY = weighted([6, edges(3, 14)], [6, () => ALL_EDGES], [2, edges(0, 1)]);
const SMALL_INVENTORY = edges(3, 4);

export const ONE_AFTER_THE_OTHER = anyOf<Lane>('shared', 'shared', 'own', 'new');
export const AT_ONCE = anyOf<Lane>(2, 4, 8, 16);
export const LANE = weighted([3, ONE_AFTER_THE_OTHER], [1, AT_ONCE]);

export const BEFORE_MIDNIGHT: Draw<Start> = (dice) => ({
  of: 'day',
  secondsLeft: anyOf(1, 10, 61, 90, 200, 3_700, 43_200, 80_000)(dice),
});
export const ANY_START = weighted<Start>(
  [7, () => null],
  [5, (dice) => ({ of: 'minute', second: anyOf(0, 1, 20, 30, 45, 58, 59)(dice) })],
  [1, BEFORE_MIDNIGHT],
);

/** A key whose limits are reached with few requests. */
export function smallKey(perMinute: Draw<number>): Draw<KeyNeed> {
  return (dice) => enterpriseKey({ perMinute: perMinute(dice), perDay: 4_000 });
}

/** @param leftToday requests that shall be left of its day at the start; a whole day by default */
export function planKey(plan: Plan, leftToday?: number): KeyNeed {
  const used = { usedToday: ({ perDay }: PlanLimits) => Math.max(0, perDay - (leftToday ?? perDay)) };
  return { plan, use: 'ban', requests: 0, ...(leftToday === undefined ? {} : used) };
}

export function enterpriseKey(agree: PlanLimits, leftToday?: number): KeyNeed {
  return { ...planKey('enterprise', leftToday), agree };
}

/** Keys, each drawn by itself. */
export function keysOf(...draws: readonly Draw<KeyNeed>[]): Draw<readonly KeyNeed[]> {
  return (dice) => draws.map((draw) => draw(dice));
}

// Of very small limits a sliding counter may hold back the last request for two windows.
export const SMALL = smallKey(weighted([1, between(1, 2)], [4, between(3, 6)], [1, between(7, 14)]));
/** A key whose limit is never reached. */
export const ROOMY = (): KeyNeed => enterpriseKey({ perMinute: 5_000, perDay: 50_000 });
export const ROOMY_OF_ANY_PLAN = weighted(
  [1, ROOMY],
  [3, (dice) => planKey(anyOf<Plan>('free', 'pro', 'business')(dice))],
);

export function send(
  requests: Draw<PlannedRequest>,
  { most = 4, times, lane = LANE }: { most?: number; times?: Draw<number>; lane?: Draw<Lane> } = {},
): Draw<Step> {
  return (dice) => {
    const drawn = several(requests, 1, most)(dice);
    return { do: 'send', requests: drawn, times: times?.(dice) ?? drawn.length, lane: lane(dice) };
  };
}

/** So many of these requests, in turns over the same connection. */
export function sendShared(requests: readonly PlannedRequest[], times = requests.length): Step {
  return { do: 'send', requests, times, lane: 'shared' };
}

export function wait(seconds: number): Step {
  return { do: 'wait', seconds };
}

/** One of these waits, in seconds. */
export function waitOneOf(...seconds: readonly number[]): Draw<Step> {
  return anyOf(...seconds.map(wait));
}

function edgeOf(of: 'minute' | 'day', ...offsets: readonly number[]): Draw<Step> {
  return anyOf(...offsets.map((offset): Step => ({ do: 'wait for edge', of, offset })));
}

export const PAUSE = waitOneOf(0.4, 1, 2, 3, 5.5, 11, 25, 29.9, 30, 31, 45, 59, 60, 61, 90, 121, 301);
export const MINUTE_EDGE = edgeOf('minute', -0.5, 0, 0.5, 1, 30);
export const DAY_EDGE = edgeOf('day', -1, 0, 0.5, 2, 43_200);
export const HOURS = waitOneOf(3_601, 7_200, 43_200, 72_100, 86_399, 86_401, 172_801);

const RESET_OFFSET = anyOf(0, 0, 1);
const RETRY_OFFSET = weighted([6, anyOf(0, 0, 0, 0.5, 1)], [1, anyOf(-1, 30)]);

export function waitOut(keys: number): Draw<Step> {
  const key = between(0, keys - 1);
  return weighted<Step>(
    [7, (dice) => ({ do: 'wait out', key: key(dice), offset: RETRY_OFFSET(dice) })],
    [2, (dice) => ({ do: 'wait for reset', key: key(dice), offset: RESET_OFFSET(dice) })],
  );
}

const LEAVING = weighted([6, () => 0], [2, between(0, 3)], [3, () => -1]);

export function drawUseUp(keys: number, requests: Draw<PlannedRequest>): Draw<Step> {
  return (dice) => ({
    do: 'use up',
    key: dice.between(0, keys - 1),
    leaving: LEAVING(dice),
    requests: several(requests, 1, 4)(dice),
    lane: LANE(dice),
  });
}

/** The first key waits as it is told, for this many windows. */
export function patient(windows: Draw<number>): Draw<Step> {
  const requests = several(drawGoodRequest(1), 1, 3);
  return (dice) => ({ do: 'be patient', key: 0, windows: windows(dice), requests: requests(dice) });
}

/** The revocation of one of the keys, and requests with it that are under way meanwhile. */
export function revocation(keys: number, mostUnderWay: number): Draw<Step> {
  const underWay = several(drawGoodRequest(keys), 0, mostUnderWay);
  return (dice) => ({ do: 'revoke', key: dice.between(0, keys - 1), underWay: underWay(dice) });
}

/** Of so many steps one is that of an earlier one. */
const ONE_REPEATED_OF = 5;

/** A row of steps, in which earlier ones come again. */
export function steps(step: Draw<Step>, least: number, most: number): Draw<readonly Step[]> {
  return (dice) => {
    const row: Step[] = [];
    const length = dice.between(least, most);
    while (row.length < length) {
      const isRepeated = row.length > 0 && dice.between(1, ONE_REPEATED_OF) === 1;
      row.push(isRepeated ? anyOf(...row)(dice) : step(dice));
    }
    return row;
  };
}

interface Theme {
  readonly start?: Draw<Start>;
  readonly keys: Draw<readonly KeyNeed[]>;
  readonly inventory?: Draw<readonly InventoryItem[]>;
  readonly steps: Draw<readonly Step[]>;
}

export function episodes({
  start = ANY_START,
  keys,
  inventory = SMALL_INVENTORY,
  steps,
}: Theme): Draw<Episode> {
  return (dice) => ({
    start: start(dice),
    keys: keys(dice),
    inventory: inventory(dice),
    steps: steps(dice),
  });
}

/** The same steps again and again. */
export function repeatSteps(count: number, ...steps: readonly Step[]): readonly Step[] {
  return Array.from({ length: count }, () => steps).flat();
}
