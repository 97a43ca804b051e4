import { setTimeout as pause } from 'node:timers/promises';

import type { Redis } from 'ioredis';

import { InconclusiveError } from '../../contract/inconclusive-error.ts';
import type { FromCarrier, ShardPlan, ToCarrier } from '../shards/carrier.ts';
import { startShardThread, type ShardThread } from '../shards/load-threads.ts';
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
  COORDINATOR,
  EXPIRY_MILLISECONDS,
  nameShard,
  shardKeys,
  openMailbox,
  type Mailbox,
} from './fleet-protocol.ts';
import { connectRedis, measureOffset } from './redis.ts';
import { countText } from '../../contract/words/enumeration.ts';
import { messageOf } from '../../contract/error-text.ts';
import { isLoopback } from '../../suites/target/index.ts';
import { peakRateOf, totalSeconds } from '../engine/arrivals.ts';
import { toTenth } from '../figures/request-counts.ts';

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
  /** The same about what goes wrong. */
  readonly warn: (line: string) => void;
}

/**
 * Joins a fleet, and runs the shards that it is given, one at a time.
 * @throws {InconclusiveError} if Redis cannot be reached, or another worker has the name
 */
export async function startFleetWorker(options: FleetWorkerOptions) {
  const { url, option, name, warn } = options;
  const redis = await connectRedis(url, option);
  const { commands, address } = redis;
  const leaving = new AbortController();
  let presence: typeof IDLE | typeof BUSY = IDLE;
  if ((await commands.set(presenceOf(name), IDLE, 'PX', SILENCE_MILLISECONDS, 'NX')) === null) {
    redis.close();
    throw new InconclusiveError(`A worker named ${name} is in the fleet already; give another --name.`);
  }
  const announce = async (): Promise<void> => {
    const parts = commands.multi().sadd(WORKERS, name);
    await parts
      .set(presenceOf(name), presence, 'PX', SILENCE_MILLISECONDS)
      .exec()
      .catch(() => {});
  };
  await announce();
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
  redis.onConnection(
    () =>
      warn(
        `${name} has lost the connection to Redis at ${address}, so no load reaches it. It tries again until Redis is back; Ctrl-C ends it.`,
      ),
    () => warn(`${name} is connected to Redis at ${address} again.`),
  );
  const heart = setInterval(() => void announce(), HEARTBEAT_MILLISECONDS);
  return {
    /** `HOST:PORT` of Redis. */
    address,
    /** Ends what is under way and leaves the fleet. */
    close: async (): Promise<void> => {
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

/** The parts of a worker that a shard needs. */
interface WorkerParts extends FleetWorkerOptions {
  readonly commands: Redis;
  /** Has somebody else hear what the thread says that runs the shards. */
  readonly listen: (hear: (message: FromCarrier) => void) => ShardThread['post'];
  /** Ends what is under way, since the worker leaves. */
  readonly leaving: AbortSignal;
}

/** Why a shard cannot go on, as the end of a sentence that begins with the worker. */
class ShardProblem extends Error {
  override readonly name = 'ShardProblem';
}

/**
 * Runs a shard of a load from its delivery to its result. The worker that claims it first runs it; a second delivery
 * sends nothing. It ends early when the coordinator says so or is gone.
 */
async function processShard(parts: WorkerParts, job: ShardJob): Promise<void> {
  const { commands, name, say } = parts;
  const { claim, toWorker, fromWorker } = shardKeys(job);
  if ((await commands.set(claim, name, 'PX', EXPIRY_MILLISECONDS, 'NX')) === null) {
    say(`${nameShard(job)} was delivered a second time; the worker that took it first keeps it.`);
    return;
  }
  const mailbox: WorkerMailbox = openMailbox(commands, fromWorker, toWorker);
  const conclude = async (last: FromCarrier): Promise<void> => {
    mailbox.post(last);
    await mailbox.exchange();
  };
  try {
    const last = await carry(parts, job, mailbox);
    if (last.kind === 'failed') {
      throw new Error(last.message);
    }
    await conclude(last);
    say(`${nameShard(job)} ended: ${countText(last.outcome.spent, 'request')} sent.`);
  } catch (error) {
    const problem = error instanceof ShardProblem ? error.message : `failed: ${messageOf(error)}`;
    say(`${nameShard(job)} was given up: this worker ${problem}.`);
    await conclude({ kind: 'failed', message: problem }).catch(() => {});
  }
}

type WorkerMailbox = Mailbox<FromCarrier, ToCarrier>;
type LastMessage = Extract<FromCarrier, { readonly kind: 'done' | 'failed' }>;

/**
 * Passes messages between the coordinator and the thread until one of them ends the shard. Returns the last of the thread.
 * @throws {ShardProblem} if the shard cannot go on
 */
async function carry(parts: WorkerParts, job: ShardJob, mailbox: WorkerMailbox): Promise<LastMessage> {
  const { commands, listen, name, version, say, leaving } = parts;
  if (job.version !== version) {
    throw new ShardProblem(`is version ${version}, and the coordinator ${job.version}`);
  }
  const offset = await measureOffset(commands);
  const last = Promise.withResolvers<LastMessage>();
  const post = listen((message) =>
    message.kind === 'done' || message.kind === 'failed' ? last.resolve(message) : mailbox.post(message),
  );
  let plan: ShardPlan | null = null;
  let hasBegun = false;
  const obey = (messages: readonly ToCarrier[]): void => {
    for (const message of messages) {
      if (message.kind === 'prepare') {
        ({ plan } = message);
        requireAllowed(plan, parts);
        post({ ...message, offset });
        continue;
      }
      if (message.kind === 'begin' && plan !== null) {
        hasBegun = true;
        say(`${nameShard(job)} begins on ${name}: ${describe(plan, job)}.`);
      }
      if (message.kind === 'stop' && !hasBegun) {
        throw new ShardProblem('was told to stop');
      }
      post(message);
    }
  };
  let answeredAt = performance.now();
  for (;;) {
    let problem: string | null = leaving.aborted ? 'was stopped by its user' : null;
    try {
      await commands.pexpire(shardKeys(job).claim, EXPIRY_MILLISECONDS);
      if ((await commands.get(COORDINATOR)) !== job.run) {
        problem ??= 'lost its coordinator';
      }
      const { messages } = await mailbox.exchange();
      answeredAt = performance.now();
      obey(messages);
    } catch (error) {
      if (error instanceof ShardProblem) {
        throw error;
      }
      // A Redis that is away for a moment is no reason to end.
      if (performance.now() - answeredAt > SILENCE_MILLISECONDS) {
        problem ??= 'lost its connection to Redis';
      }
    }
    if (problem !== null) {
      // It is cut short, and nobody is left who knows.
      post({ kind: 'stop' });
      await (hasBegun ? last.promise : undefined);
      throw new ShardProblem(problem);
    }
    const ended = await Promise.race([last.promise, pause(LOOK_MILLISECONDS, null)]);
    if (ended !== null) {
      return ended;
    }
  }
}

/** @throws {ShardProblem} if this worker may not load the target */
function requireAllowed({ target: { origin } }: ShardPlan, { allowedTargets }: WorkerParts): void {
  const { hostname } = new URL(origin);
  if (!isLoopback(origin) && !allowedTargets.includes(hostname)) {
    throw new ShardProblem(
      `may not send requests to ${hostname} (start it with --allow-target ${hostname} to allow that) and was let go`,
    );
  }
}

/** Where to, how much and for how long. */
function describe({ target, load }: ShardPlan, { of }: ShardJob): string {
  const where = `${target.origin}${target.basePath}`;
  if (load.model === 'closed') {
    return `${where}, as much as it takes on its part of ${load.connections} connections, at most ${toTenth(load.maxRate / of)}/s, for ${toTenth(load.seconds)} s`;
  }
  const peak = peakRateOf(load.stages);
  return `${where}, up to ${toTenth(peak / of)}/s of ${toTenth(peak)}/s for ${toTenth(totalSeconds(load.stages))} s`;
}
