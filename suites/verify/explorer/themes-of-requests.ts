import * as fc from 'fast-check';
import type { Episode, EpisodeInventory } from './episode.ts';
import {
  ANY_OPERATION,
  BODY_OPERATION,
  drawGoodRequest,
  drawRequest,
  drawStrangerRequest,
  LIST_OPERATION,
  SPELLING_OPERATION,
  weighted,
  WRITING_OPERATION,
} from './draw-requests.ts';
import {
  ALL_EDGES,
  AT_ONCE,
  INVENTORY,
  ONE_AFTER_THE_OTHER,
  PAUSE,
  ROOMY,
  ROOMY_OF_ANY_PLAN,
  episodes,
  send,
  steps,
} from './draw-steps.ts';

/** Each write is followed by what shows it, over any connection and with any key. */
export const ENTRY: fc.Arbitrary<Episode> = episodes({
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
export const BODIES: fc.Arbitrary<Episode> = episodes({
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

export const SIMULTANEOUS: fc.Arbitrary<Episode> = episodes({
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

export const STRANGERS: fc.Arbitrary<Episode> = episodes({
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

export const REVOKED: fc.Arbitrary<Episode> = episodes({
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

export const LONG_LIST: fc.Arbitrary<Episode> = episodes({
  theme: 'a long list',
  keys: fc.tuple(ROOMY),
  inventory: fc.constantFrom<EpisodeInventory>(
    { of: 'seeded', size: 1_100 },
    { of: 'seeded', size: 300 },
    { of: 'seeded', size: 2_100 },
  ),
  steps: steps(send(drawGoodRequest(1), { most: 1 }), 2, 3),
});
