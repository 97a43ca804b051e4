import type { FlowProducer } from 'bullmq';

import type { DividedLoad, DividedRun } from '../shards/divided-load.ts';
import { addUpShards } from '../shards/add-up-shards.ts';
import { openProgressHash } from './progress-hash.ts';
import {
  EXPIRY_MILLISECONDS,
  measurementNames,
  QUEUES,
  type ShardJob,
  type VersionedPlan,
} from './fleet-protocol.ts';
import { followShards } from './follow-shards.ts';
import { measureOffset } from './redis-clock.ts';
import { monotonicNow } from '../engine/monotonic-clock.ts';
import type { FleetRedis } from './redis.ts';
import { shardPlanOf } from '../shards/shard-plan.ts';
import type { ShardOutcome } from '../shards/shard-run.ts';
import { describeSkew, problemOfSkew, skewOf } from '../shards/start-skew.ts';

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
  fleetLoad: DividedLoad,
): Promise<DividedRun> {
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
    const plan = JSON.stringify({
      ...shardPlanOf(fleetLoad, redisNow()),
      version,
    } satisfies VersionedPlan);
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
    const skew = skewOf(outcomes.filter((outcome) => outcome !== null));
    const workers = followed.states.flatMap((state) => state?.worker ?? []);
    return {
      ...addUpShards(fleetLoad, outcomes, followed.start !== null),
      startedAt: performance.now() + (followed.start === null ? 0 : followed.start - redisNow()),
      trip: followed.trip,
      invalid: [...followed.losses, ...problemOfSkew(skew, 'workers')],
      notes: skew === null ? [] : [describeSkew(workers, skew)],
    };
  } finally {
    onEnded.delete(id);
    const results = Array.from({ length: of }, (_, shard) => names.resultOf(shard));
    // Claims stay until they expire, so that a late delivery finds its shard taken.
    await redis.commands.del(names.plan, names.progress, ...results).catch(() => {});
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
