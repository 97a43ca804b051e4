import * as fc from 'fast-check';
import type { Episode, EpisodeInventory, Lane, PlannedOperation, Step } from './episode.ts';
import {
  ANY_OPERATION,
  BODY_OPERATION,
  drawGoodRequest,
  drawRequest,
  drawStrangerRequest,
  LIST_OPERATION,
  METHOD_OPERATION,
  ODD_PET_OPERATION,
  SPELLING_OPERATION,
  UNKNOWN_PET_OPERATION,
  weighted,
  updatesOf,
  WRITING_OPERATION,
} from './draw-requests.ts';
import {
  ALL_EDGES,
  WITH_LARGEST,
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

function sendEach(operations: readonly PlannedOperation[], lane: Lane = 'shared'): Step {
  const requests = operations.map((operation) => ({ key: 0, operation, credential: null, extra: null }));
  return { do: 'send', requests, times: requests.length, lane };
}

/** Some requests of a kind, the next entries of their corpus, and then a list that shows what they changed. */
function inTurns(
  operation: fc.Arbitrary<PlannedOperation>,
  times: number,
  rounds: number,
): fc.Arbitrary<readonly Step[]> {
  const several = fc.array(operation, { minLength: times, maxLength: times });
  const round = fc
    .tuple(several, LIST_OPERATION)
    .map(([operations, list]) => sendEach([...operations, list]));
  return fc.array(round, { minLength: rounds, maxLength: rounds });
}

/** Bodies that may have to be refused, and what they must not change. */
export const BODIES: fc.Arbitrary<Episode> = episodes({
  theme: 'bodies',
  keys: fc.tuple(ROOMY),
  // Three rounds deal all of them.
  steps: inTurns(BODY_OPERATION, 8, 5),
});

// Those that a double, an int32 or a comparison of prefixes confuses, and the largest one.
const MOST_CONFUSABLE = [0, 1, 2, 3, 4, 5, 6, 45];

/** Pets that are not in the store, ids that are none, pets at the edges, and methods that no path has. */
export const PETS: fc.Arbitrary<Episode> = episodes({
  theme: 'pets',
  keys: fc.tuple(ROOMY),
  inventory: fc.constantFrom(ALL_EDGES, WITH_LARGEST),
  steps: fc
    .tuple(
      inTurns(UNKNOWN_PET_OPERATION, 7, 1),
      inTurns(ODD_PET_OPERATION, 4, 1),
      fc
        .tuple(updatesOf(MOST_CONFUSABLE, 5), LIST_OPERATION)
        .map(([updates, list]) => [sendEach([...updates, list])]),
      inTurns(METHOD_OPERATION, 7, 1),
    )
    .map((all) => all.flat()),
});

export const SIMULTANEOUS: fc.Arbitrary<Episode> = episodes({
  theme: 'updates at once',
  keys: fc.array(ROOMY, { minLength: 2, maxLength: 2 }),
  inventory: fc.constantFrom(ALL_EDGES),
  steps: steps(
    weighted(
      [2, send(drawGoodRequest(2), { most: 12, lane: AT_ONCE })],
      [3, updatesOf(MOST_CONFUSABLE, 5).chain((updates) => AT_ONCE.map((lane) => sendEach(updates, lane)))],
      [3, send(drawGoodRequest(2, LIST_OPERATION), { most: 1 })],
    ),
    5,
    8,
  ),
});

/** Bad credentials on a connection on which a good key was accepted just before. */
const SIGNED_IN: fc.Arbitrary<Step> = fc
  .tuple(drawGoodRequest(2), fc.array(drawStrangerRequest(2), { minLength: 3, maxLength: 4 }))
  .map(([good, strangers]) => ({
    do: 'send',
    requests: [good, ...strangers],
    times: strangers.length + 1,
    lane: 'shared',
  }));

export const STRANGERS: fc.Arbitrary<Episode> = episodes({
  theme: 'credentials',
  keys: fc.array(ROOMY_OF_ANY_PLAN, { minLength: 1, maxLength: 2 }),
  steps: steps(
    weighted(
      [4, send(drawStrangerRequest(2), { most: 4, lane: ONE_AFTER_THE_OTHER })],
      [4, SIGNED_IN],
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

const WHAT_ANOTHER_KEY_SEES: Step = {
  do: 'send',
  requests: [{ key: 1, operation: { kind: 'list' }, credential: null, extra: null }],
  times: 1,
  lane: 'own',
};

export const REVOKED: fc.Arbitrary<Episode> = episodes({
  theme: 'revocation',
  keys: fc.array(ROOMY_OF_ANY_PLAN, { minLength: 2, maxLength: 2 }),
  steps: fc
    .tuple(
      steps(send(drawGoodRequest(2), { most: 6 }), 1, 3),
      send(drawGoodRequest(1), { most: 6, lane: ONE_AFTER_THE_OTHER }),
      fc.record({
        do: fc.constant('revoke' as const),
        key: fc.constant(0),
        underWay: fc.array(drawGoodRequest(1), { maxLength: 3 }),
      }),
      send(drawGoodRequest(1), { most: 5, lane: ONE_AFTER_THE_OTHER }),
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
    .map(([before, more, revoke, refused, after]) =>
      before.concat(more, revoke, refused, WHAT_ANOTHER_KEY_SEES, after),
    ),
});

export const LONG_LIST: fc.Arbitrary<Episode> = episodes({
  theme: 'a long list',
  keys: fc.tuple(ROOMY),
  inventory: fc.constantFrom<EpisodeInventory>({ of: 'seeded', size: 1_100 }, { of: 'seeded', size: 2_100 }),
  steps: steps(send(drawGoodRequest(1), { most: 1 }), 2, 3),
});
