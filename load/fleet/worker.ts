import { Queue, Worker } from 'bullmq';

import { processShard, type Delivery } from './process-shard.ts';
import { startEngineThread } from '../shards/engine-thread.ts';
import { InconclusiveError } from '../../contract/inconclusive-error.ts';
import {
  COORDINATOR,
  HEARTBEAT_MILLISECONDS,
  presenceOf,
  QUEUES,
  SILENCE_MILLISECONDS,
  WORKERS,
  type ShardJob,
} from './fleet-protocol.ts';
import { connectRedis, farewell, type FleetRedis } from './redis.ts';

export interface FleetWorkerOptions {
  /** Redis, and the option that names it. */
  readonly url: string;
  readonly option: string;
  readonly name: string;
  /** Of stockcheck. */
  readonly version: string;
  /** Hosts, besides this machine, that the worker may send requests to. */
  readonly allowedTargets: readonly string[];
  /** Tells the user a line. */
  readonly say: (line: string) => void;
  /** Tells the user a line about what goes wrong. */
  readonly warn: (line: string) => void;
}

export interface FleetWorker {
  /** `HOST:PORT` of Redis. */
  readonly address: string;
  /** Ends what is under way and leaves the fleet. */
  readonly close: () => Promise<void>;
}

// Shorter than the silence after which a worker counts as lost.
const LOCK_MILLISECONDS = 5_000;

/**
 * Joins a fleet, and runs the shards that it is given, one at a time.
 * @throws {InconclusiveError} if Redis cannot be reached, or another worker has the name
 */
export async function startFleetWorker(options: FleetWorkerOptions): Promise<FleetWorker> {
  const { url, option, name, version, allowedTargets, say, warn } = options;
  const redis = await connectRedis(url, option);
  const leaving = new AbortController();
  const token = `${name} ${crypto.randomUUID()}`;
  let isBusy = false;
  if (!(await takeName(redis, name, token))) {
    redis.close();
    throw new InconclusiveError(`A worker named ${name} is in the fleet already; give another --name.`);
  }
  const announce = async (): Promise<void> => {
    await redis.commands.set(presenceOf(name), JSON.stringify({ token, isBusy }), 'PX', SILENCE_MILLISECONDS);
  };
  await announce();
  await redis.commands.sadd(WORKERS, name);
  const engine = startEngineThread();
  const worker = new Worker<ShardJob, Delivery>(
    QUEUES.shards,
    async (job) => {
      isBusy = true;
      await announce().catch(() => {});
      const parts = { redis, engine, name, version, allowedTargets, say, leaving: leaving.signal };
      try {
        const delivery = await processShard(parts, job.data);
        if (delivery.isOrphan) {
          void clearAfterCoordinator(redis).catch(() => {});
        }
        return delivery;
      } finally {
        isBusy = false;
        void announce().catch(() => {});
      }
    },
    {
      connection: redis.queues,
      prefix: QUEUES.prefix,
      concurrency: 1,
      lockDuration: LOCK_MILLISECONDS,
      stalledInterval: LOCK_MILLISECONDS,
      // A shard that was lost half-way is not run again: nobody knows how much of it was sent.
      maxStalledCount: 0,
    },
  );
  // Redis that is away, and jobs that a coordinator has cleared away meanwhile.
  worker.on('error', () => {});
  redis.onConnection({
    onLost: () =>
      warn(
        `${name} has lost the connection to Redis at ${redis.address}, so no load reaches it. It tries again until Redis is back; Ctrl-C ends it.`,
      ),
    onBack: () => warn(`${name} is connected to Redis at ${redis.address} again.`),
  });
  const heart = setInterval(() => void announce().catch(() => {}), HEARTBEAT_MILLISECONDS);
  await worker.waitUntilReady();
  return {
    address: redis.address,
    close: async () => {
      leaving.abort();
      clearInterval(heart);
      if (await redis.answers()) {
        await farewell(takeLeave(worker, redis, name));
      }
      // Work that waits for Redis would wait for ever, and its timers would keep the process alive.
      void worker.pause(true);
      void worker.close(true);
      await engine.close();
      redis.close();
    },
  };
}

/** Waits until nothing is under way any more, and has the fleet forget the worker at once. */
async function takeLeave(
  worker: Worker<ShardJob, Delivery>,
  { commands }: FleetRedis,
  name: string,
): Promise<void> {
  await worker.close();
  await Promise.all([commands.del(presenceOf(name)), commands.srem(WORKERS, name)]);
}

async function takeName({ commands }: FleetRedis, name: string, token: string): Promise<boolean> {
  const presence = JSON.stringify({ token, isBusy: false });
  return (await commands.set(presenceOf(name), presence, 'PX', SILENCE_MILLISECONDS, 'NX')) !== null;
}

/** Removes the jobs of a run whose coordinator is gone, unless another run has begun. */
async function clearAfterCoordinator(redis: FleetRedis): Promise<void> {
  const cleaner = 'clearing away';
  if ((await redis.commands.set(COORDINATOR, cleaner, 'PX', SILENCE_MILLISECONDS, 'NX')) === null) {
    return;
  }
  await clearQueues(redis);
  if ((await redis.commands.get(COORDINATOR)) === cleaner) {
    await redis.commands.del(COORDINATOR);
  }
}

/** Removes all jobs, those under way, too. */
export async function clearQueues({ queues: connection }: Pick<FleetRedis, 'queues'>): Promise<void> {
  const { prefix, shards, measurements } = QUEUES;
  // Parents first, since a child cannot be removed while one waits for it.
  for (const name of [measurements, shards]) {
    const queue = new Queue(name, { connection, prefix });
    queue.on('error', () => {});
    await queue.obliterate({ force: true });
    await queue.close();
  }
}
