import type { ClientPlayOptions } from '../perform-scenario.ts';
import type { BackoffFit } from '../records/fit-backoff.ts';
import type { ScenarioRecord } from '../records/record.ts';
import { playCrowd } from './crowd.ts';
import {
  crowdWaits,
  type CrowdWait,
  type Earliness,
  earlinessOf,
  growthOf,
  longestEndedWait,
} from './crowd-returns.ts';
import { boundsOf, searchLongestWait, type WaitTrial } from './longest-wait.ts';

/** Why clients are started: to be refused together, or to find the longest wait. */
export type HerdStep = 'crowd' | 'longest wait';

/** How a client comes back when it was refused with many others of its kind. */
export interface HerdFigures {
  /** How many were refused together. */
  readonly clients: number;
  /** What was waited after the first 429 of each, after the second, and so on. */
  readonly refusals: readonly (readonly CrowdWait[])[];
  readonly growth: BackoffFit['verdict'];
  readonly earliness: Earliness;
  /** What the client did when it was told to wait for so long, the shortest wait first. */
  readonly trials: readonly WaitTrial[];
  /** In seconds; `begun` is 0 if it waited for none, `declined` is `null` if it began to wait for a whole day. */
  readonly longestWait: ReturnType<typeof boundsOf> & {
    /** The longest wait that was seen to its end; `null` if none was. */
    readonly ended: number | null;
  };
}

/**
 * Starts the client many times at once, and then again and again with longer and longer waits.
 * @param seen what it did in scenarios before
 */
export async function playHerd(
  clients: number,
  options: ClientPlayOptions,
  seen: readonly ScenarioRecord[],
  tell: (clients: number, step: HerdStep) => void = () => {},
): Promise<HerdFigures> {
  tell(clients, 'crowd');
  const records = await playCrowd(clients, options);
  const refusals = crowdWaits(records);
  const trials = await searchLongestWait(options, (count) => tell(count, 'longest wait'));
  return {
    clients,
    refusals,
    growth: growthOf(refusals),
    earliness: earlinessOf(refusals),
    trials,
    longestWait: { ...boundsOf(trials), ended: longestEndedWait([...seen, ...records]) },
  };
}
