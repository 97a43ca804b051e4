import { setTimeout as delay } from 'node:timers/promises';

import { seedInventory } from '../../../fixtures/corpora/index.ts';
import { beginActivity, type ClientPlayOptions, performScenario } from '../perform-scenario.ts';
import type { ScenarioRecord } from '../records/record.ts';
import { type ClientScenario, limitedFor, scenarioGroup } from '../scenarios/scenario.ts';
import { crowdWaits, earlinessOf, growthOf } from './crowd-returns.ts';

/** How a client comes back when it was refused with many others of its kind. */
export type HerdFigures = Awaited<ReturnType<typeof playHerd>>;

/** Seconds. All clients are refused together first; a long wait and short ones show what is taken off them. */
const WAITS = [2, 4, 1, 1, 1] as const;

/** A client whose machine is busy is not waited for any longer, so that none gives up for want of an answer. */
const LONGEST_HOLD_MILLISECONDS = 5_000;

/** After the first refusal, clients are answered one after the other: those that wake together delay each other. */
const APART_MILLISECONDS = 60;
const LONGEST_APART_MILLISECONDS = 2_000;

/** Starts the client many times at once. */
export async function playHerd(clients: number, options: ClientPlayOptions) {
  const refusals = crowdWaits(await playCrowd(clients, options));
  return {
    /** How many were refused together. */
    clients,
    /** What was waited after the first 429 of each, after the second, and so on. */
    refusals,
    growth: growthOf(refusals),
    earliness: earlinessOf(refusals),
  };
}

/** Starts the client many times at once, and refuses all of them together, and then each several times more. */
async function playCrowd(clients: number, options: ClientPlayOptions): Promise<readonly ScenarioRecord[]> {
  const together = openGate(clients);
  const apart = Math.min(APART_MILLISECONDS, LONGEST_APART_MILLISECONDS / clients);
  const shared = beginActivity();
  return Promise.all(
    Array.from({ length: clients }, (_, index) => {
      const hold = (turn: number): Promise<void> =>
        turn === 0 ? together() : turn === 1 ? delay(apart * index) : Promise.resolve();
      return performScenario(crowdScenario(hold), options, shared);
    }),
  );
}

const { list: herdScenario } = scenarioGroup({
  inventory: seedInventory({ size: 3, seed: 11 }),
  shows: [],
});

function crowdScenario(hold: (turn: number) => Promise<void>): ClientScenario {
  return herdScenario('crowd', 'Many clients that are refused together', {
    answers: WAITS.map((seconds) => limitedFor(seconds)),
    hold,
    judges: [],
    seconds: WAITS.reduce<number>((sum, seconds) => sum + seconds, 0),
  });
}

/** Lets all pass when so many have come, or when the first has waited for too long. */
function openGate(clients: number): () => Promise<void> {
  const gate = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === 1) {
      void delay(LONGEST_HOLD_MILLISECONDS, undefined, { ref: false }).then(gate.resolve);
    }
    if (arrived === clients) {
      gate.resolve();
    }
    return gate.promise;
  };
}
