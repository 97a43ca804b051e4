import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { listInventory } from '../../target/index.ts';
import { anyOf, several, weighted, type Draw } from './dice.ts';
import type { Episode, Lane, PlannedOperation, Step } from './episode.ts';
import {
  ANY_CREDENTIAL,
  ANY_OPERATION,
  BODY_OPERATION,
  EXTRA,
  drawGoodRequest,
  drawRequest,
  drawStrangerRequest,
  LIST_OPERATION,
  METHOD_OPERATION,
  ODD_PET_OPERATION,
  SPELLING_OPERATION,
  UNKNOWN_PET_OPERATION,
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
  keysOf,
  revocation,
  send,
  sendShared,
  steps,
} from './draw-steps.ts';

/** Each write is followed by what shows it, over any connection and with any key. */
export const ENTRY: Draw<Episode> = episodes({
  keys: several(ROOMY_OF_ANY_PLAN, 1, 3),
  inventory: INVENTORY,
  steps: steps(
    weighted(
      [8, send(drawRequest({ operation: WRITING_OPERATION, keys: 3, credential: () => null }), { most: 3 })],
      [4, send(drawGoodRequest(3, LIST_OPERATION), { most: 1 })],
      [2, send(drawGoodRequest(3, LIST_OPERATION, { extra: EXTRA }), { most: 1 })],
      [1, send(drawRequest({ operation: ANY_OPERATION, keys: 3 }), { most: 2 })],
      [1, PAUSE],
    ),
    10,
    24,
  ),
});

function sendEach(operations: readonly PlannedOperation[], lane: Lane = 'shared'): Step {
  const requests = operations.map((operation) => ({ key: 0, operation, credential: null }));
  return { do: 'send', requests, times: requests.length, lane };
}

/** Some requests of a kind, the next entries of their corpus, and then a list that shows what they changed. */
function inTurns(operation: Draw<PlannedOperation>, times: number): Draw<Step> {
  return (dice) => sendEach([...several(operation, times)(dice), listInventory]);
}

/** Bodies that may have to be refused, and what they must not change. */
export const BODIES: Draw<Episode> = episodes({
  keys: keysOf(ROOMY),
  // Three rounds deal all of them.
  steps: several(inTurns(BODY_OPERATION, 8), 5),
});

// Those that a double, an int32 or a comparison of prefixes confuses, and the largest one.
const MOST_CONFUSABLE = [0, 1, 2, 3, 4, 5, 6, WITH_LARGEST.length - 1];

/** Pets that are not in the store, ids that are none, pets at the edges, and methods that no path has. */
export const PETS: Draw<Episode> = episodes({
  keys: keysOf(ROOMY),
  inventory: anyOf(ALL_EDGES, WITH_LARGEST),
  steps: (dice) => [
    inTurns(UNKNOWN_PET_OPERATION, 7)(dice),
    inTurns(ODD_PET_OPERATION, 4)(dice),
    sendEach([...updatesOf(MOST_CONFUSABLE, 5)(dice), listInventory]),
    inTurns(METHOD_OPERATION, 7)(dice),
  ],
});

export const SIMULTANEOUS: Draw<Episode> = episodes({
  keys: keysOf(ROOMY, ROOMY),
  inventory: () => ALL_EDGES,
  steps: steps(
    weighted(
      [2, send(drawGoodRequest(2), { most: 12, lane: AT_ONCE })],
      [3, (dice) => sendEach(updatesOf(MOST_CONFUSABLE, 5)(dice), AT_ONCE(dice))],
      [3, send(drawGoodRequest(2, LIST_OPERATION), { most: 1 })],
    ),
    5,
    8,
  ),
});

/** Bad credentials on a connection on which a good key was accepted just before. */
const SIGNED_IN: Draw<Step> = (dice) =>
  sendShared([drawGoodRequest(2)(dice), ...several(drawStrangerRequest(2), 3, 4)(dice)]);

const OF_A_STRANGER = drawRequest({ operation: ANY_OPERATION, keys: 2, credential: ANY_CREDENTIAL });

export const STRANGERS: Draw<Episode> = episodes({
  keys: several(ROOMY_OF_ANY_PLAN, 1, 2),
  steps: steps(
    weighted(
      [4, send(drawStrangerRequest(2), { most: 4, lane: ONE_AFTER_THE_OTHER })],
      [4, SIGNED_IN],
      [2, send(drawGoodRequest(2), { most: 2, lane: ONE_AFTER_THE_OTHER })],
      [2, send(drawStrangerRequest(2, SPELLING_OPERATION), { most: 3, lane: ONE_AFTER_THE_OTHER })],
      [1, send(OF_A_STRANGER, { most: 3 })],
    ),
    8,
    20,
  ),
});

const WHAT_ANOTHER_KEY_SEES: Step = {
  do: 'send',
  requests: [{ key: 1, operation: listInventory, credential: null }],
  times: 1,
  lane: 'own',
};

const WITH_REVOKED = drawRequest({
  operation: weighted([2, ANY_OPERATION], [1, SPELLING_OPERATION]),
  keys: 1,
  credential: () => null,
});

export const REVOKED: Draw<Episode> = episodes({
  keys: several(ROOMY_OF_ANY_PLAN, 2),
  steps: (dice) => [
    ...steps(send(drawGoodRequest(2), { most: 6 }), 1, 3)(dice),
    send(drawGoodRequest(1), { most: 6, lane: ONE_AFTER_THE_OTHER })(dice),
    revocation(1, 3)(dice),
    send(drawGoodRequest(1), { most: 5, lane: ONE_AFTER_THE_OTHER })(dice),
    WHAT_ANOTHER_KEY_SEES,
    ...steps(
      weighted(
        [6, send(WITH_REVOKED, { most: 3, lane: ONE_AFTER_THE_OTHER })],
        [2, send(drawGoodRequest(2), { most: 2 })],
        [1, PAUSE],
      ),
      3,
      7,
    )(dice),
  ],
});

export const LONG_LIST: Draw<Episode> = episodes({
  keys: keysOf(ROOMY),
  inventory: (dice) => seedInventory({ size: anyOf(1_100, 2_100)(dice) }),
  steps: steps(send(drawGoodRequest(1), { most: 1 }), 2, 3),
});
