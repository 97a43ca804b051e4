import { setTimeout as pause } from 'node:timers/promises';

import { FlowProducer, Worker } from 'bullmq';

import type { LoadFleet } from './load-fleet.ts';
import { InconclusiveError } from '../../contract/inconclusive-error.ts';
import {
  COORDINATOR,
  HEARTBEAT_MILLISECONDS,
  presenceOf,
  QUEUES,
  SILENCE_MILLISECONDS,
  WORKERS,
} from './fleet-protocol.ts';
import { measureOnWorkers } from './measure-on-workers.ts';
import { connectRedis, farewell, type FleetRedis } from './redis.ts';
import { clearQueues } from './worker.ts';

export interface FleetOptions {
  readonly url: string;
  /** The option that names Redis. */
  readonly option: string;
  /** Workers that the load is divided among; `null` for those that are there. */
  readonly workers: number | null;
  /** Of stockcheck. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** How long a free fleet and its workers are waited for; 10 s by default. */
  readonly patienceMilliseconds?: number;
}

export interface ConnectedFleet extends LoadFleet {
  readonly size: number;
  /** Names of the workers that are there; `size` of them get a share. */
  readonly workers: readonly string[];
  /** Lets the workers go, and removes what is left of the run in Redis. */
  readonly close: () => Promise<void>;
}

const PATIENCE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 100;

/**
 * Takes a fleet for one run, as the only one, and waits for its workers.
 * @throws {InconclusiveError} if Redis, a free fleet or enough workers are not available
 */
export async function connectFleet(options: FleetOptions): Promise<ConnectedFleet> {
  const { url, option } = options;
  const redis = await connectRedis(url, option);
  const run = crypto.randomUUID();
  let heart: NodeJS.Timeout | undefined;
  const leave = async (): Promise<void> => {
    clearInterval(heart);
    await release(redis, run).catch(() => {});
    redis.close();
  };
  try {
    await take(redis, run, options);
    heart = setInterval(
      () => void redis.commands.pexpire(COORDINATOR, SILENCE_MILLISECONDS).catch(() => {}),
      HEARTBEAT_MILLISECONDS,
    );
    const workers = await waitForWorkers(redis, options);
    await clearQueues(redis);
    const { prefix, measurements } = QUEUES;
    const flows = new FlowProducer({ connection: redis.queues, prefix });
    flows.on('error', () => {});
    const onEnded = new Map<string, () => void>();
    // A measurement is a job above its shards, which comes when all of them have ended.
    const parents = new Worker(
      measurements,
      async (job) => {
        onEnded.get(job.id ?? '')?.();
      },
      { connection: redis.queues, prefix },
    );
    parents.on('error', () => {});
    const lost = new AbortController();
    let measurement = 0;
    const size = options.workers ?? workers.length;
    const close = async (): Promise<void> => {
      await farewell(clearQueues(redis));
      await farewell(Promise.all([parents.close(true), flows.close()]));
      await leave();
    };
    let closed: Promise<void> | undefined;
    return {
      size,
      workers,
      lost: lost.signal,
      run: (fleetLoad) => {
        measurement += 1;
        return measureOnWorkers(
          {
            redis,
            flows,
            onEnded,
            version: options.version,
            onLoss: (message) => lost.abort(new Error(message)),
          },
          { run, measurement, of: size },
          fleetLoad,
        );
      },
      close: () => {
        closed ??= close();
        return closed;
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** A coordinator that died is forgotten after its silence, which is waited for. */
async function take(
  { commands, address }: FleetRedis,
  run: string,
  { option, signal, patienceMilliseconds = PATIENCE_MILLISECONDS }: FleetOptions,
): Promise<void> {
  const until = performance.now() + patienceMilliseconds;
  while ((await commands.set(COORDINATOR, run, 'PX', SILENCE_MILLISECONDS, 'NX')) === null) {
    if (performance.now() > until) {
      throw new InconclusiveError(`${option}: the fleet at ${address} is busy with another run.`);
    }
    await pause(LOOK_MILLISECONDS, undefined, { signal });
  }
}

async function release({ commands }: FleetRedis, run: string): Promise<void> {
  if ((await commands.get(COORDINATOR)) === run) {
    await commands.del(COORDINATOR);
  }
}

async function waitForWorkers(
  redis: FleetRedis,
  { workers: wanted, option, signal, patienceMilliseconds = PATIENCE_MILLISECONDS }: FleetOptions,
): Promise<readonly string[]> {
  const until = performance.now() + patienceMilliseconds;
  for (;;) {
    const idle = await idleWorkers(redis);
    if (idle.length >= (wanted ?? 1)) {
      return idle;
    }
    if (performance.now() > until) {
      const there =
        idle.length === 0 ? 'no worker is' : `only ${idle.join(', ')} ${idle.length === 1 ? 'is' : 'are'}`;
      const asked = wanted === null ? option : `--fleet-workers ${wanted}`;
      throw new InconclusiveError(
        `${asked}: ${there} connected to ${redis.address} and free after ${patienceMilliseconds / 1000} s. Start workers with: stockcheck worker --redis redis://${redis.address}`,
      );
    }
    await pause(LOOK_MILLISECONDS, undefined, { signal });
  }
}

/** Workers that are there and carry nothing; names of those that are gone are forgotten. */
async function idleWorkers({ commands }: FleetRedis): Promise<readonly string[]> {
  const names = (await commands.smembers(WORKERS)).toSorted();
  const presences = names.length === 0 ? [] : await commands.mget(names.map(presenceOf));
  const gone = names.filter((_, index) => typeof presences[index] !== 'string');
  if (gone.length > 0) {
    await commands.srem(WORKERS, ...gone);
  }
  return names.filter((_, index) => {
    const text = presences[index];
    return typeof text === 'string' && !isBusy(text);
  });
}

function isBusy(text: string): boolean {
  const presence: unknown = JSON.parse(text);
  return (
    typeof presence === 'object' && presence !== null && 'isBusy' in presence && presence.isBusy === true
  );
}
