import * as fc from 'fast-check';
import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import type { Episode, Lane, PlannedRequest, Step } from './episode.ts';
import { DOCUMENTED_OPERATION, drawGoodRequest, weighted } from './draw-requests.ts';
import {
  HOURS,
  ONE_AFTER_THE_OTHER,
  PAUSE,
  episodes,
  patient,
  send,
  smallKey,
  steps,
  drawUseUp,
  waitOut,
} from './draw-steps.ts';

const TOLD: fc.Arbitrary<Step> = fc.constant({ do: 'wait out', key: 0, offset: 0 });

// Any temporary ban has ended by then, even one that does not say how long it lasts.
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

/** A key that waits as it is told, for this many windows. */
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
