import { between, anyOf, weighted, type Draw } from './dice.ts';
import type { Episode, Step } from './episode.ts';
import { ANY_OPERATION, drawGoodRequest, drawRequest, GOOD_OPERATION } from './draw-requests.ts';
import {
  AT_ONCE,
  INVENTORY,
  MINUTE_EDGE,
  PAUSE,
  ROOMY_OF_ANY_PLAN,
  SMALL,
  enterpriseKey,
  episodes,
  keysOf,
  planKey,
  revocation,
  send,
  smallKey,
  steps,
  drawUseUp,
  waitOut,
} from './draw-steps.ts';
import { KEY_NEAR_ITS_DAY } from './themes-of-days.ts';

export const MANY_KEYS: Draw<Episode> = episodes({
  keys: keysOf(
    smallKey(between(1, 4)),
    smallKey(between(3, 12)),
    ROOMY_OF_ANY_PLAN,
    anyOf(planKey('free'), planKey('free', 20), enterpriseKey({ perMinute: 6, perDay: 30 })),
  ),
  steps: steps(
    weighted(
      [4, drawUseUp(2, drawGoodRequest(2))],
      [3, send(drawGoodRequest(1), { most: 2, times: anyOf(2, 5, 12) })],
      [6, send(drawGoodRequest(4), { most: 6 })],
      [2, send(drawGoodRequest(4), { most: 12, lane: AT_ONCE })],
      [2, waitOut(2)],
      [1, PAUSE],
    ),
    6,
    12,
  ),
});

export const WHATEVER: Draw<Episode> = episodes({
  keys: keysOf(SMALL, ROOMY_OF_ANY_PLAN, KEY_NEAR_ITS_DAY),
  inventory: INVENTORY,
  steps: steps(
    weighted<Step>(
      [8, send(drawRequest({ operation: ANY_OPERATION, keys: 3 }), { most: 5 })],
      [4, drawUseUp(1, drawRequest({ operation: GOOD_OPERATION, keys: 1 }))],
      [2, waitOut(3)],
      [2, PAUSE],
      [1, MINUTE_EDGE],
      [1, (dice) => ({ do: 'replace inventory', inventory: INVENTORY(dice) })],
      [1, revocation(3, 2)],
    ),
    8,
    18,
  ),
});
