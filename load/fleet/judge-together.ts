import { evidence, type TargetClient } from '../../suites/target/index.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import { problemOfAccounts } from '../judging/remaining-ledger.ts';

/**
 * Judges what only all generators together can tell of Remaining, since each sees but its own requests of a key.
 * @param hasAll whether no generator is missing
 */
export function judgeShards(client: TargetClient, runs: readonly EngineRun[], hasAll: boolean): void {
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
