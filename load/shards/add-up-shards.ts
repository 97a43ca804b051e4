import { evidence, type TargetClient } from '../../suites/target/index.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import { countFor } from '../engine/share.ts';
import { problemOfAccounts } from '../judging/key-accounts.ts';
import type { DividedLoad, DividedRun } from './divided-load.ts';
import { decodeRun } from './encoded-run.ts';
import { replayJudgements } from './recorded-judgements.ts';
import type { ShardOutcome } from './shard-run.ts';

/**
 * Adds up what the shards of a load measured and found.
 * @param outcomes by number of the shard; `null` for one that was lost
 */
export function addUpShards(
  { load, client, budget }: Pick<DividedLoad, 'load' | 'client' | 'budget'>,
  outcomes: readonly (ShardOutcome | null)[],
  hasStarted: boolean,
): Pick<DividedRun, 'runs' | 'spent'> {
  const of = outcomes.length;
  const present = outcomes.filter((outcome) => outcome !== null);
  const keys = new Set(load.mix.flatMap(({ key }) => key ?? []));
  present.forEach(({ notes }) => replayJudgements(notes, client.judgements));
  const runs = present.map(({ run }) => decodeRun(run, keys));
  judgeAccounts(client, runs, runs.length === of);
  return {
    runs,
    spent: outcomes.reduce((sum, outcome, index) => {
      // Nobody knows what a lost shard has sent, up to all of it.
      const most = hasStarted ? countFor(budget, { index, of }) : 0;
      return sum + (outcome?.spent ?? most);
    }, 0),
  };
}

/**
 * Judges Remaining over all shards that saw only their own requests with a key.
 * @param hasAll whether no shard is missing
 */
function judgeAccounts(client: TargetClient, runs: readonly EngineRun[], hasAll: boolean): void {
  const isComplete = hasAll && runs.every((run) => run.isComplete);
  const byKey = Map.groupBy(
    runs.flatMap(({ accounts }) => accounts),
    ({ key }) => key,
  );
  for (const accounts of byKey.values()) {
    const message = problemOfAccounts(accounts, isComplete);
    if (message !== null) {
      client.judgements.fail('load', 'remaining-falls', evidence(client, message));
    }
  }
}
