import { setTimeout as pause } from 'node:timers/promises';

import { InconclusiveError } from '../../contract/inconclusive-error.ts';
import type { FromCarrier } from '../shards/carrier.ts';
import { startShardThread } from '../shards/load-threads.ts';
import {
  BUSY,
  HEARTBEAT_MILLISECONDS,
  IDLE,
  jobOf,
  LOOK_MILLISECONDS,
  presenceOf,
  SILENCE_MILLISECONDS,
  WORKERS,
  type ShardJob,
} from './fleet-protocol.ts';
import { processShard, type WorkerParts } from './process-shard.ts';
import { connectRedis, type FleetRedis } from './redis.ts';

export interface FleetWorkerOptions extends Pick<WorkerParts, 'name' | 'version' | 'allowedTargets' | 'say'> {
  /** Redis, and the option that names it. */
  readonly url: string;
  readonly option: string;
  /** Tells the user a line about what goes wrong. */
  readonly warn: (line: string) => void;
}

export interface FleetWorker {
  /** `HOST:PORT` of Redis. */
  readonly address: string;
  /** Ends what is under way and leaves the fleet. */
  readonly close: () => Promise<void>;
}

/**
 * Joins a fleet, and runs the shards that it is given, one at a time.
 * @throws {InconclusiveError} if Redis cannot be reached, or another worker has the name
 */
export async function startFleetWorker(options: FleetWorkerOptions): Promise<FleetWorker> {
  const { url, option, name, warn } = options;
  const redis = await connectRedis(url, option);
  const { commands, address } = redis;
  const leaving = new AbortController();
  let presence: typeof IDLE | typeof BUSY = IDLE;
  if (!(await takeName(redis, name))) {
    redis.close();
    throw new InconclusiveError(`A worker named ${name} is in the fleet already; give another --name.`);
  }
  const announce = async (): Promise<void> => {
    await commands.set(presenceOf(name), presence, 'PX', SILENCE_MILLISECONDS).catch(() => {});
  };
  await commands.sadd(WORKERS, name);
  let hear: ((message: FromCarrier) => void) | null = null;
  const thread = startShardThread(
    (message) => hear?.(message),
    ({ message }) => hear?.({ kind: 'failed', message }),
  );
  const listen: WorkerParts['listen'] = (listener) => {
    hear = listener;
    return thread.post;
  };
  const work = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      const text = await commands.getdel(jobOf(name)).catch(() => null);
      if (text === null) {
        await pause(LOOK_MILLISECONDS);
        continue;
      }
      const job: ShardJob = JSON.parse(text);
      presence = BUSY;
      await announce();
      await processShard({ ...options, commands, listen, leaving: leaving.signal }, job).catch(() => {});
      presence = IDLE;
      await announce();
    }
  };
  const working = work();
  redis.onConnection({
    onLost: () =>
      warn(
        `${name} has lost the connection to Redis at ${address}, so no load reaches it. It tries again until Redis is back; Ctrl-C ends it.`,
      ),
    onBack: () => warn(`${name} is connected to Redis at ${address} again.`),
  });
  const heart = setInterval(() => void announce(), HEARTBEAT_MILLISECONDS);
  return {
    address,
    close: async () => {
      leaving.abort();
      clearInterval(heart);
      if (commands.status !== 'ready') {
        // Nobody waits for a Redis that is away.
        redis.close();
      }
      await working;
      await Promise.allSettled([commands.del(presenceOf(name)), commands.srem(WORKERS, name)]);
      await thread.close();
      redis.close();
    },
  };
}

async function takeName({ commands }: FleetRedis, name: string): Promise<boolean> {
  return (await commands.set(presenceOf(name), IDLE, 'PX', SILENCE_MILLISECONDS, 'NX')) !== null;
}
