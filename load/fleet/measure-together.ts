import type { FlowProducer } from 'bullmq';

import type { FleetOrder, FleetRun } from './load-fleet.ts';
import { countFor } from '../engine/share.ts';
import { openBoard } from './board.ts';
import { decodeRun } from './encoded-run.ts';
import { EXPIRY_MILLISECONDS, measurementNames, QUEUES, type ShardJob } from './fleet-names.ts';
import { followShards } from './follow-shards.ts';
import { judgeShards } from './judge-together.ts';
import { sayAgain } from './judgement-notes.ts';
import { measureOffset, monotonicNow } from './redis-clock.ts';
import type { FleetRedis } from './redis.ts';
import { planOf } from './shard-plan.ts';
import type { ShardOutcome } from './shard-run.ts';
import { describeSkew, problemOfSkew, skewOf } from './start-skew.ts';

interface FleetParts {
  readonly redis: FleetRedis;
  readonly flows: FlowProducer;
  /** Called when all shards of a measurement have ended, by the id of its job. */
  readonly onEnded: Map<string, () => void>;
  /** Of stockcheck. */
  readonly version: string;
  /** Told a sentence when the fleet is not what it was. */
  readonly onLoss: (message: string) => void;
}

type Measurement = Omit<ShardJob, 'shard'>;

/** One measurement by all workers: shares, a common start, a watch over all, and what they bring home. */
export async function measureTogether(
  { redis, flows, onEnded, version, onLoss }: FleetParts,
  job: Measurement,
  order: FleetOrder,
): Promise<FleetRun> {
  const { of } = job;
  const names = measurementNames(job);
  const offset = await measureOffset(redis.board);
  const redisNow = (): number => monotonicNow() + offset.milliseconds;
  const id = `${job.run}-${job.measurement}`;
  let hasEnded = false;
  onEnded.set(id, () => {
    hasEnded = true;
  });
  try {
    const plan = JSON.stringify(planOf(order, version, redisNow()));
    await redis.board.set(names.plan, plan, 'PX', EXPIRY_MILLISECONDS);
    await flows.add(flowOf(job, id));
    const course = await followShards({
      board: openBoard(redis.board, job),
      of,
      order,
      address: redis.address,
      redisNow,
      hasEnded: () => hasEnded,
    });
    if (course.losses.length > 0) {
      onLoss(course.losses.join(' '));
    }
    const outcomes = await readOutcomes(redis, job);
    const present = outcomes.filter((outcome) => outcome !== null);
    const keys = new Set(order.load.mix.flatMap(({ key }) => key ?? []));
    present.forEach(({ notes }) => sayAgain(notes, order.client.judgements));
    const runs = present.map(({ run }) => decodeRun(run, keys));
    judgeShards(order.client, runs, runs.length === of);
    const skew = skewOf(present);
    const workers = course.states.flatMap((state) => state?.worker ?? []);
    return {
      runs,
      spent: outcomes.reduce((sum, outcome, index) => {
        // Nobody knows what a lost shard has sent, up to all of it.
        const most = course.start === null ? 0 : countFor(order.budget, { index, of });
        return sum + (outcome?.spent ?? most);
      }, 0),
      startedAt: performance.now() + (course.start === null ? 0 : course.start - redisNow()),
      verdict: course.verdict,
      invalid: [...course.losses, ...problemOfSkew(skew)],
      notes: skew === null ? [] : [describeSkew(workers, skew)],
    };
  } finally {
    onEnded.delete(id);
    const results = Array.from({ length: of }, (_, shard) => names.resultOf(shard));
    // Claims stay until they expire, so that a late delivery finds its shard taken.
    await redis.board.del(names.plan, names.board, ...results).catch(() => {});
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
  { board }: FleetRedis,
  job: Measurement,
): Promise<readonly (ShardOutcome | null)[]> {
  const { resultOf } = measurementNames(job);
  const names = Array.from({ length: job.of }, (_, shard) => resultOf(shard));
  try {
    return (await board.mget(names)).map((text) => (text === null ? null : readOutcome(text)));
  } catch {
    return names.map(() => null);
  }
}

function readOutcome(text: string): ShardOutcome {
  const outcome: ShardOutcome = JSON.parse(text);
  return outcome;
}
