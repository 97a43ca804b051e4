import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { between, anyOf, several, weighted, type Draw } from './dice.ts';
import type { Episode, Step } from './episode.ts';
import { DOCUMENTED_OPERATION, drawGoodRequest } from './draw-requests.ts';
import {
  HOURS,
  ONE_AFTER_THE_OTHER,
  PAUSE,
  episodes,
  keysOf,
  patient,
  send,
  sendShared,
  smallKey,
  steps,
  drawUseUp,
  wait,
  waitOneOf,
  waitOut,
} from './draw-steps.ts';

const GOOD = drawGoodRequest(1);
const TOLD: Step = { do: 'wait out', key: 0, offset: 0 };

// Any temporary ban has ended by then, even one that does not say how long it lasts.
const A_MONTH = wait(LONGEST_TEMPORARY_SECONDS + 60);

/** Keeps to what it is told, after it went on. */
const BETTERED: Draw<readonly Step[]> = (dice) => [
  { do: 'use up', key: 0, leaving: -1, requests: several(GOOD, 1, 2)(dice), lane: 'shared' },
  TOLD,
  send(GOOD, { most: 2, lane: ONE_AFTER_THE_OTHER })(dice),
];

/** The first key, and then the second one on the same connection. */
const BOTH_IN_TURNS: Draw<Step> = (dice) =>
  sendShared([GOOD(dice), { ...GOOD(dice), key: 1 }], anyOf(2, 2, 4)(dice));

/** The second key by itself, so that it is known how it is counted. */
const WITNESS: Draw<Step> = (dice) => sendShared([{ ...GOOD(dice), key: 1 }], 4);

/** Goes on after a 429 once or often, at once or after a while, and returns when told, or too early, or much later. */
const BAN_ROUND: readonly Draw<Step>[] = [
  drawUseUp(1, GOOD),
  waitOneOf(0, 7, 25),
  send(GOOD, { most: 3, times: anyOf(1, 4, 12, 13, 14, 25) }),
  weighted<Step>([2, send(drawGoodRequest(2), { most: 3 })], [1, PAUSE], [1, waitOut(1)]),
  BOTH_IN_TURNS,
  weighted<Step>([5, () => TOLD], [1, waitOut(1)], [1, HOURS], [1, () => A_MONTH]),
  send(drawGoodRequest(1, DOCUMENTED_OPERATION), {
    most: 2,
    times: anyOf(1, 2, 3),
    lane: ONE_AFTER_THE_OTHER,
  }),
];

const AFTERWARDS = weighted([1, drawUseUp(1, GOOD)], [1, waitOut(1)], [1, send(drawGoodRequest(2))]);

export const IMPATIENT: Draw<Episode> = episodes({
  keys: keysOf(smallKey(between(1, 5)), smallKey(between(11, 14))),
  steps: (dice) => [
    WITNESS(dice),
    ...several((again) => BAN_ROUND.map((step) => step(again)), 1, 2)(dice).flat(),
    ...BETTERED(dice),
    ...steps(AFTERWARDS, 0, 3)(dice),
  ],
});

const ONCE_MORE = weighted([1, send(GOOD, { most: 2 })], [1, waitOut(1)]);

/** A key that waits as it is told, for this many windows. */
export function patience(windows: Draw<number>): Draw<Episode> {
  return episodes({
    keys: keysOf(smallKey(between(1, 2))),
    steps: (dice) => [patient(windows)(dice), ONCE_MORE(dice)],
  });
}
