import type { FlowProducer } from 'bullmq';

import { evidence, type TargetClient } from '../../suites/target/index.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import { problemOfAccounts } from '../judging/key-accounts.ts';
import type { FleetLoad, FleetRun } from './load-fleet.ts';
import { countFor } from '../engine/share.ts';
import { openProgressHash } from './progress-hash.ts';
import { decodeRun } from './encoded-run.ts';
import { EXPIRY_MILLISECONDS, measurementNames, QUEUES, type ShardJob } from './fleet-protocol.ts';
import { followShards } from './follow-shards.ts';
import { replayJudgements } from './recorded-judgements.ts';
import { measureOffset, monotonicNow } from './redis-clock.ts';
import type { FleetRedis } from './redis.ts';
import { shardPlanOf } from './shard-plan.ts';
import type { ShardOutcome } from './shard-run.ts';
import { describeSkew, problemOfSkew, skewOf } from './start-skew.ts';

interface FleetParts {
  readonly redis: FleetRedis;
  readonly flows: FlowProducer;
  /** Called when all shards of a measurement have ended, by the id of its job. */
  readonly onEnded: Map<string, () => void>;
  /** Of stockcheck. */
  readonly version: string;
  /** Called with a sentence when the fleet is not complete any more. */
  readonly onLoss: (message: string) => void;
}

type Measurement = Omit<ShardJob, 'shard'>;

/** One measurement by all workers: shares, a common start, and the results of all. */
export async function measureOnWorkers(
  { redis, flows, onEnded, version, onLoss }: FleetParts,
  job: Measurement,
  fleetLoad: FleetLoad,
): Promise<FleetRun> {
  const { of } = job;
  const names = measurementNames(job);
  const offset = await measureOffset(redis.commands);
  const redisNow = (): number => monotonicNow() + offset.milliseconds;
  const id = `${job.run}-${job.measurement}`;
  let hasEnded = false;
  onEnded.set(id, () => {
    hasEnded = true;
  });
  try {
    const plan = JSON.stringify(shardPlanOf(fleetLoad, version, redisNow()));
    await redis.commands.set(names.plan, plan, 'PX', EXPIRY_MILLISECONDS);
    await flows.add(flowOf(job, id));
    const followed = await followShards({
      hash: openProgressHash(redis.commands, job),
      of,
      fleetLoad,
      address: redis.address,
      redisNow,
      hasEnded: () => hasEnded,
    });
    if (followed.losses.length > 0) {
      onLoss(followed.losses.join(' '));
    }
    const outcomes = await readOutcomes(redis, job);
    const present = outcomes.filter((outcome) => outcome !== null);
    const keys = new Set(fleetLoad.load.mix.flatMap(({ key }) => key ?? []));
    present.forEach(({ notes }) => replayJudgements(notes, fleetLoad.client.judgements));
    const runs = present.map(({ run }) => decodeRun(run, keys));
    judgeShards(fleetLoad.client, runs, runs.length === of);
    const skew = skewOf(present);
    const workers = followed.states.flatMap((state) => state?.worker ?? []);
    return {
      runs,
      spent: outcomes.reduce((sum, outcome, index) => {
        // Nobody knows what a lost shard has sent, up to all of it.
        const most = followed.start === null ? 0 : countFor(fleetLoad.budget, { index, of });
        return sum + (outcome?.spent ?? most);
      }, 0),
      startedAt: performance.now() + (followed.start === null ? 0 : followed.start - redisNow()),
      trip: followed.trip,
      invalid: [...followed.losses, ...problemOfSkew(skew)],
      notes: skew === null ? [] : [describeSkew(workers, skew)],
    };
  } finally {
    onEnded.delete(id);
    const results = Array.from({ length: of }, (_, shard) => names.resultOf(shard));
    // Claims stay until they expire, so that a late delivery finds its shard taken.
    await redis.commands.del(names.plan, names.progress, ...results).catch(() => {});
  }
}

/**
 * Judges Remaining over all generators, since each sees only its own requests with a key.
 * @param hasAll whether no generator is missing
 */
function judgeShards(client: TargetClient, runs: readonly EngineRun[], hasAll: boolean): void {
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

/** A job for each shard, and one above them that comes when they have ended, well or not. */
function flowOf(job: Measurement, id: string) {
  const gone = { removeOnComplete: true, removeOnFail: true };
  return {
    name: 'measurement',
    queueName: QUEUES.measurements,
    opts: { ...gone, jobId: id },
    children: Array.from({ length: job.of }, (_, shard) => ({
      name: 'shard',
      queueName: QUEUES.shards,
      data: { ...job, shard } satisfies ShardJob,
      opts: { ...gone, attempts: 1, ignoreDependencyOnFailure: true },
    })),
  };
}

async function readOutcomes(
  { commands }: FleetRedis,
  job: Measurement,
): Promise<readonly (ShardOutcome | null)[]> {
  const { resultOf } = measurementNames(job);
  const names = Array.from({ length: job.of }, (_, shard) => resultOf(shard));
  try {
    return (await commands.mget(names)).map((text) => (text === null ? null : readOutcome(text)));
  } catch {
    return names.map(() => null);
  }
}

function readOutcome(text: string): ShardOutcome {
  const outcome: ShardOutcome = JSON.parse(text);
  return outcome;
}
