import type { PolicyTrial, SimulationResult } from '../../../contract/simulation-result.ts';
import {
  clientChanges,
  keepsWithinCapacity,
  outcomeOf,
  playStorm,
  ranked,
  serverChanges,
  type StormChange,
  type StormFollower,
  trialOf,
} from '../../../simulation/index.ts';
import { packageVersion } from '../version.ts';
import type { PlannedStorm } from './plan-storm.ts';

/** Plays the storm, and those of a search. @param follower follows each of them by its name */
export async function playSimulation(
  { storm, open, setting }: PlannedStorm,
  search: 'server' | 'client' | 'both' | null,
  follower: (label: string) => StormFollower,
): Promise<SimulationResult> {
  const { longestWait } = setting;
  const outcome = outcomeOf(storm, await playStorm(storm, follower('playing')));

  async function trials(what: string, changes: readonly StormChange[]): Promise<readonly PolicyTrial[]> {
    const tried: PolicyTrial[] = [];
    for (const [index, change] of changes.entries()) {
      const label = `${what} ${index + 1} of ${changes.length}`;
      const changed = change.apply(storm);
      const running = await playStorm(changed, follower(label));
      tried.push(trialOf(change, changed, running, longestWait));
    }
    return ranked(tried);
  }

  return {
    schemaVersion: 1,
    kind: 'simulate',
    suite: { version: packageVersion() },
    setting,
    holds: keepsWithinCapacity(outcome, longestWait),
    outcome,
    serverPolicies:
      search === 'server' || search === 'both'
        ? await trials('policy of the server', serverChanges(storm, open))
        : [],
    clientPolicies:
      search === 'client' || search === 'both'
        ? await trials('policy of the client', clientChanges(storm))
        : [],
  };
}
