import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../contract/error-text.ts';
import { isLoopback } from '../../suites/target/index.ts';
import { peakRateOf, totalSeconds } from '../engine/arrivals.ts';
import { openProgressHash, type Instructions, type ShardState } from './progress-hash.ts';
import type { EngineThread } from '../shards/engine-thread.ts';
import {
  EXPIRY_MILLISECONDS,
  measurementNames,
  nameShard,
  SILENCE_MILLISECONDS,
  type ShardJob,
} from './fleet-protocol.ts';
import { measureOffset } from './redis-clock.ts';
import type { FleetRedis } from './redis.ts';
import type { ShardPlan } from '../shards/shard-plan.ts';
import type { VersionedPlan } from './fleet-protocol.ts';
import type { ShardOutcome } from '../shards/shard-run.ts';

/** The parts of a worker that a shard needs. */
export interface WorkerParts {
  readonly redis: Pick<FleetRedis, 'commands'>;
  readonly engine: EngineThread;
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

/** How the delivery of a shard ended. */
export interface Delivery {
  /** Whether this delivery ran the shard to its end. */
  readonly counted: boolean;
  /** Whether its run is over or its coordinator gone, so that somebody has to clean up. */
  readonly isOrphan: boolean;
}

const WAITING_BEAT_MILLISECONDS = 20;
const RUNNING_BEAT_MILLISECONDS = 200;

/** Why a shard cannot go on, as the end of a sentence that begins with the worker. */
class ShardProblem extends Error {
  override readonly name = 'ShardProblem';
}

/**
 * Runs a shard of a load from its delivery to its result. The worker that claims it first runs it; a second delivery
 * sends nothing. It ends early when the coordinator says so or is gone.
 */
export async function processShard(parts: WorkerParts, job: ShardJob): Promise<Delivery> {
  const { redis, name, say } = parts;
  const names = measurementNames(job);
  const claim = names.claimOf(job.shard);
  if ((await redis.commands.set(claim, name, 'PX', EXPIRY_MILLISECONDS, 'NX')) === null) {
    say(`${nameShard(job)} was delivered a second time; the worker that took it first keeps it.`);
    return { counted: false, isOrphan: false };
  }
  const hash = openProgressHash(redis.commands, job);
  let beat = 0;
  let heardAt = performance.now();
  let isOrphan = false;
  const report = async (phase: ShardState['phase'], problem: string | null = null): Promise<Instructions> => {
    beat += 1;
    const progress = parts.engine.progress();
    const instructions = await hash.report(job.shard, { worker: name, phase, beat, problem, progress });
    heardAt = performance.now();
    isOrphan ||= instructions.isOrphan;
    return instructions;
  };
  /** A Redis that is away for a moment is no reason to end. */
  const reportIfPossible = async (phase: ShardState['phase']): Promise<Instructions | null> => {
    try {
      return await report(phase);
    } catch (error) {
      if (performance.now() - heardAt > SILENCE_MILLISECONDS) {
        throw new ShardProblem('lost its connection to Redis', { cause: error });
      }
      return null;
    }
  };
  try {
    const outcome = await carry(parts, job, reportIfPossible);
    if (outcome === null) {
      await report('failed', 'was told to stop');
    } else {
      await redis.commands.set(
        names.resultOf(job.shard),
        JSON.stringify(outcome),
        'PX',
        EXPIRY_MILLISECONDS,
        'NX',
      );
      await report('done');
      say(`${nameShard(job)} ended: ${outcome.spent} requests sent.`);
    }
    return { counted: outcome !== null, isOrphan };
  } catch (error) {
    const problem = error instanceof ShardProblem ? error.message : `failed: ${messageOf(error)}`;
    say(`${nameShard(job)} was given up: this worker ${problem}.`);
    await report('failed', problem).catch(() => {});
    return { counted: false, isOrphan };
  }
}

/** Returns `null` if the run ended before the shard had begun. */
async function carry(
  { redis, engine, name, version, allowedTargets, say, leaving }: WorkerParts,
  job: ShardJob,
  report: (phase: ShardState['phase']) => Promise<Instructions | null>,
): Promise<ShardOutcome | null> {
  await report('preparing');
  const text = await redis.commands.get(measurementNames(job).plan);
  if (text === null) {
    return null;
  }
  const { version: planned, ...plan }: VersionedPlan = JSON.parse(text);
  if (planned !== version) {
    throw new ShardProblem(`is version ${version}, and the coordinator ${planned}`);
  }
  const { origin } = plan.target;
  if (!isLoopback(origin) && !allowedTargets.includes(new URL(origin).hostname)) {
    const { hostname } = new URL(origin);
    throw new ShardProblem(
      `may not send requests to ${hostname} (start it with --allow-target ${hostname} to allow that) and was let go`,
    );
  }
  const offset = await measureOffset(redis.commands);
  await engine.prepare(plan, { index: job.shard, of: job.of }, offset);
  let start: number | null = null;
  while (start === null) {
    throwIfLeaving(leaving);
    const instructions = await report('ready');
    if (instructions !== null && (instructions.isStopped || instructions.isOrphan)) {
      return null;
    }
    start = instructions?.start ?? null;
    await pause(start === null ? WAITING_BEAT_MILLISECONDS : 0);
  }
  say(`${nameShard(job)} begins on ${name}: ${describe(plan, job)}.`);
  const carried = engine.begin(start - offset.milliseconds);
  const ended = carried.then(
    () => true,
    () => true,
  );
  let isEnded = false;
  let isOrphan = false;
  try {
    while (!isEnded) {
      isEnded = await Promise.race([ended, pause(RUNNING_BEAT_MILLISECONDS, false)]);
      const instructions = isEnded ? null : await report('running');
      isOrphan ||= instructions?.isOrphan === true;
      if (leaving.aborted || instructions?.isStopped === true || isOrphan) {
        engine.stop();
      }
    }
  } catch (error) {
    engine.stop();
    await ended;
    throw error;
  }
  throwIfLeaving(leaving);
  if (isOrphan) {
    // It was cut short, and nobody is left who knows.
    throw new ShardProblem('lost its coordinator');
  }
  return carried;
}

function throwIfLeaving(leaving: AbortSignal): void {
  if (leaving.aborted) {
    throw new ShardProblem('was stopped by its user');
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
