import { setTimeout as pause } from 'node:timers/promises';

import { InconclusiveError } from '../../contract/inconclusive-error.ts';
import { type Generators, measureInShards, mostCarriers } from '../shards/measure-in-shards.ts';
import {
  COORDINATOR,
  HEARTBEAT_MILLISECONDS,
  IDLE,
  presenceOf,
  SILENCE_MILLISECONDS,
  WORKERS,
} from './fleet-protocol.ts';
import { connectRedis, type FleetRedis } from './redis.ts';
import { openWorkerCrew } from './worker-crew.ts';

export interface FleetOptions {
  readonly url: string;
  /** The option that names Redis. */
  readonly option: string;
  /** How many workers share the load; `null` for all that are connected. */
  readonly workers: number | null;
  /** Of stockcheck. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** How long to wait for a free fleet and its workers; 10 s by default. */
  readonly patienceMilliseconds?: number;
}

export type ConnectedFleet = Awaited<ReturnType<typeof connectFleet>>;

const PATIENCE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 100;

/**
 * Reserves a fleet for one run, and waits for its workers.
 * @throws {InconclusiveError} if Redis, a free fleet or enough workers are not available
 */
export async function connectFleet(options: FleetOptions) {
  const { url, option, version } = options;
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
    const size = options.workers ?? workers.length;
    const carrying = workers.slice(0, size);
    const lost = new AbortController();
    let measurement = 0;
    const generators: Generators = {
      lost: lost.signal,
      run: async (divided) => {
        measurement += 1;
        const crew = await openWorkerCrew(redis, carrying.slice(0, mostCarriers(divided.load)), {
          run,
          measurement,
          version,
        });
        try {
          return await measureInShards(crew, divided, (message) => lost.abort(new Error(message)));
        } finally {
          await crew.close();
        }
      },
    };
    return {
      ...generators,
      size,
      /** Names of the connected workers; `size` of them get a share. */
      workers,
      /** Lets the workers go, and removes what is left of the run in Redis. */
      close: leave,
    };
  } catch (error) {
    await leave();
    throw error;
  }
}

/** Waits until a coordinator that died has expired. */
async function take({ commands, address }: FleetRedis, run: string, options: FleetOptions): Promise<void> {
  const taken = await patiently(
    options,
    () => commands.set(COORDINATOR, run, 'PX', SILENCE_MILLISECONDS, 'NX'),
    (answer) => answer !== null,
  );
  if (taken === null) {
    throw new InconclusiveError(`${options.option}: the fleet at ${address} is busy with another run.`);
  }
}

/** Looks again and again, until it finds enough or patience is over. @returns what it found last */
async function patiently<Found>(
  { signal, patienceMilliseconds = PATIENCE_MILLISECONDS }: FleetOptions,
  look: () => Promise<Found>,
  isEnough: (found: Found) => boolean,
): Promise<Found> {
  const until = performance.now() + patienceMilliseconds;
  for (;;) {
    const found = await look();
    if (isEnough(found) || performance.now() > until) {
      return found;
    }
    await pause(LOOK_MILLISECONDS, undefined, { signal });
  }
}

async function release({ commands }: FleetRedis, run: string): Promise<void> {
  if ((await commands.get(COORDINATOR)) === run) {
    await commands.del(COORDINATOR);
  }
}

async function waitForWorkers(redis: FleetRedis, options: FleetOptions): Promise<readonly string[]> {
  const { workers: wanted, option, patienceMilliseconds = PATIENCE_MILLISECONDS } = options;
  const isEnough = (idle: readonly string[]): boolean => idle.length >= (wanted ?? 1);
  const idle = await patiently(options, () => idleWorkers(redis), isEnough);
  if (!isEnough(idle)) {
    const there =
      idle.length === 0 ? 'no worker is' : `only ${idle.join(', ')} ${idle.length === 1 ? 'is' : 'are'}`;
    const asked = wanted === null ? option : `--fleet-workers ${wanted}`;
    throw new InconclusiveError(
      `${asked}: ${there} connected to ${redis.address} and free after ${patienceMilliseconds / 1000} s. Start workers with: stockcheck worker --redis redis://${redis.address}`,
    );
  }
  return idle;
}

/** Connected workers without a shard; names of workers that are gone are removed. */
async function idleWorkers({ commands }: FleetRedis): Promise<readonly string[]> {
  const names = (await commands.smembers(WORKERS)).toSorted();
  const presences = names.length === 0 ? [] : await commands.mget(names.map(presenceOf));
  const gone = names.filter((_, index) => typeof presences[index] !== 'string');
  if (gone.length > 0) {
    await commands.srem(WORKERS, ...gone);
  }
  return names.filter((_, index) => presences[index] === IDLE);
}
