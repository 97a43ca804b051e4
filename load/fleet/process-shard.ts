import { setTimeout as pause } from 'node:timers/promises';

import type { Redis } from 'ioredis';

import { countText } from '../../contract/words/enumeration.ts';
import { messageOf } from '../../contract/error-text.ts';
import { isLoopback } from '../../suites/target/index.ts';
import { peakRateOf, totalSeconds } from '../engine/arrivals.ts';
import type { FromCarrier, ToCarrier } from '../shards/carrier.ts';
import type { ShardThread } from '../shards/load-threads.ts';
import type { ShardPlan } from '../shards/divided-load.ts';
import {
  COORDINATOR,
  EXPIRY_MILLISECONDS,
  LOOK_MILLISECONDS,
  nameShard,
  shardKeys,
  SILENCE_MILLISECONDS,
  type ShardJob,
} from './fleet-protocol.ts';
import { openInbox, openOutbox, type Outbox } from './mailbox.ts';
import { measureOffset } from './redis.ts';

/** The parts of a worker that a shard needs. */
export interface WorkerParts {
  readonly commands: Redis;
  /** Has somebody else hear what the thread says that runs the shards. */
  readonly listen: (hear: (message: FromCarrier) => void) => ShardThread['post'];
  readonly name: string;
  /** Of stockcheck. */
  readonly version: string;
  /** Hosts, besides this machine, that the worker may send requests to. */
  readonly allowedTargets: readonly string[];
  /** Tells the user a line. */
  readonly say: (line: string) => void;
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
export async function processShard(parts: WorkerParts, job: ShardJob): Promise<void> {
  const { commands, name, say } = parts;
  const { claim, fromWorker } = shardKeys(job);
  if ((await commands.set(claim, name, 'PX', EXPIRY_MILLISECONDS, 'NX')) === null) {
    say(`${nameShard(job)} was delivered a second time; the worker that took it first keeps it.`);
    return;
  }
  const outbox = openOutbox<FromCarrier>(commands, fromWorker);
  const conclude = async (last: FromCarrier): Promise<void> => {
    outbox.post(last);
    await outbox.flush();
  };
  try {
    const last = await carry(parts, job, outbox);
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

type LastMessage = Extract<FromCarrier, { readonly kind: 'done' | 'failed' }>;

/**
 * Passes messages between the coordinator and the thread until one of them ends the shard. Returns the last of the thread.
 * @throws {ShardProblem} if the shard cannot go on
 */
async function carry(parts: WorkerParts, job: ShardJob, outbox: Outbox<FromCarrier>): Promise<LastMessage> {
  const { commands, listen, name, version, say, leaving } = parts;
  const { claim, toWorker } = shardKeys(job);
  if (job.version !== version) {
    throw new ShardProblem(`is version ${version}, and the coordinator ${job.version}`);
  }
  const offset = await measureOffset(commands);
  const inbox = openInbox<ToCarrier>(commands, toWorker);
  const last = Promise.withResolvers<LastMessage>();
  const post = listen((message) =>
    message.kind === 'done' || message.kind === 'failed' ? last.resolve(message) : outbox.post(message),
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
      await outbox.flush();
      await commands.pexpire(claim, EXPIRY_MILLISECONDS);
      if ((await commands.get(COORDINATOR)) !== job.run) {
        problem ??= 'lost its coordinator';
      }
      const { messages } = await inbox.read();
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
    return `${where}, as much as it takes on its part of ${load.connections} connections, at most ${round(load.maxRate / of)}/s, for ${round(load.seconds)} s`;
  }
  const peak = peakRateOf(load.stages);
  return `${where}, up to ${round(peak / of)}/s of ${round(peak)}/s for ${round(totalSeconds(load.stages))} s`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
