import { setTimeout as pause } from 'node:timers/promises';
import { serialize } from 'node:v8';

import type { Redis } from 'ioredis';

import { messageOf } from '../../contract/error-text.ts';
import { isLoopback } from '../../suites/target/index.ts';
import { peakRateOf, totalSeconds } from '../engine/arrivals.ts';
import type { KeyJournalPart } from '../judging/key-journal.ts';
import type { EngineThread } from '../shards/engine-thread.ts';
import type { ShardPlan } from '../shards/shard-plan.ts';
import type { ShardOutcome } from '../shards/shard-run.ts';
import {
  COORDINATOR,
  EXPIRY_MILLISECONDS,
  judgedField,
  measurementNames,
  nameShard,
  shardField,
  SILENCE_MILLISECONDS,
  START,
  STOP,
  type ShardJob,
  type ShardState,
  type VersionedPlan,
} from './fleet-protocol.ts';
import { measureOffset } from './redis-clock.ts';

/** The parts of a worker that a shard needs. */
export interface WorkerParts {
  readonly commands: Redis;
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

/** What the coordinator says to the workers. */
interface Instructions {
  /** Redis time in Unix milliseconds at which all begin, or `null` while that is open. */
  readonly start: number | null;
  readonly isStopped: boolean;
  /** Whether the run that the shard belongs to is over, or its coordinator gone. */
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
export async function processShard(parts: WorkerParts, job: ShardJob): Promise<void> {
  const { commands, name, say } = parts;
  const { claimOf, resultOf } = measurementNames(job);
  if ((await commands.set(claimOf(job.shard), name, 'PX', EXPIRY_MILLISECONDS, 'NX')) === null) {
    say(`${nameShard(job)} was delivered a second time; the worker that took it first keeps it.`);
    return;
  }
  const reporter = openReporter(parts, job);
  try {
    const outcome = await carry(parts, job, reporter);
    await reporter.flush();
    if (outcome === null) {
      await reporter.report('failed', 'was told to stop');
    } else {
      const result = JSON.stringify(outcome);
      await commands.set(resultOf(job.shard), result, 'PX', EXPIRY_MILLISECONDS, 'NX');
      await reporter.report('done');
      say(`${nameShard(job)} ended: ${outcome.spent} requests sent.`);
    }
  } catch (error) {
    const problem = error instanceof ShardProblem ? error.message : `failed: ${messageOf(error)}`;
    say(`${nameShard(job)} was given up: this worker ${problem}.`);
    await reporter.report('failed', problem).catch(() => {});
  }
}

/** Tells the coordinator how a shard goes, and what happens to its keys. */
interface Reporter {
  /** @throws {Error} if Redis is away */
  readonly report: (phase: ShardState['phase'], problem?: string) => Promise<Instructions>;
  /** A Redis that is away for a moment is no reason to end. @throws {ShardProblem} if it stays away */
  readonly reportIfPossible: (phase: ShardState['phase']) => Promise<Instructions | null>;
  /** Takes a part of the journal; it is written with the next report. */
  readonly journal: (part: KeyJournalPart) => void;
  /** Writes the last parts of the journal. */
  readonly flush: () => Promise<void>;
}

function openReporter({ commands, engine }: WorkerParts, { run, measurement, shard }: ShardJob): Reporter {
  const names = measurementNames({ run, measurement });
  const journal = names.journalOf(shard);
  // By number, so that a part that is written again, because nobody said that it arrived, is there once.
  const unwritten = new Map<number, KeyJournalPart>();
  let parts = 0;
  let judged = 0;
  let beat = 0;
  let heardAt = performance.now();
  const flush = async (): Promise<void> => {
    for (const [number, part] of unwritten) {
      await commands.hset(journal, `${number}`, serialize(part));
      unwritten.delete(number);
    }
  };
  const report: Reporter['report'] = async (phase, problem) => {
    await flush();
    beat += 1;
    const progress = engine.progress();
    const state: ShardState = { phase, beat, problem: problem ?? null, progress };
    await commands.hset(names.progress, shardField(shard), JSON.stringify(state));
    const [[start, stop, bytes], coordinator] = await Promise.all([
      commands.hmget(names.progress, START, STOP, judgedField(shard)),
      commands.get(COORDINATOR),
      ...[names.progress, journal, names.claimOf(shard)].map((key) =>
        commands.pexpire(key, EXPIRY_MILLISECONDS),
      ),
    ]);
    heardAt = performance.now();
    engine.judged(Number(bytes ?? 0) - judged);
    judged = Number(bytes ?? 0);
    return {
      start: typeof start === 'string' ? Number(start) : null,
      isStopped: typeof stop === 'string',
      isOrphan: coordinator !== run,
    };
  };
  return {
    report,
    reportIfPossible: async (phase) => {
      try {
        return await report(phase);
      } catch (error) {
        if (performance.now() - heardAt > SILENCE_MILLISECONDS) {
          throw new ShardProblem('lost its connection to Redis', { cause: error });
        }
        return null;
      }
    },
    journal: (part) => {
      unwritten.set(parts, part);
      parts += 1;
    },
    flush,
  };
}

/** Returns `null` if the run ended before the shard had begun. */
async function carry(
  parts: WorkerParts,
  job: ShardJob,
  { reportIfPossible: report, journal }: Reporter,
): Promise<ShardOutcome | null> {
  const { commands, engine, name, say, leaving } = parts;
  await report('preparing');
  const plan = await readPlan(parts, job);
  if (plan === null) {
    return null;
  }
  const offset = await measureOffset(commands);
  await engine.prepare(plan, { index: job.shard, of: job.of }, offset, journal);
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

/** Returns `null` if the run is over. @throws {ShardProblem} if this worker must not carry it out */
async function readPlan(
  { commands, version, allowedTargets }: WorkerParts,
  job: ShardJob,
): Promise<ShardPlan | null> {
  const text = await commands.get(measurementNames(job).plan);
  if (text === null) {
    return null;
  }
  const { version: planned, ...plan }: VersionedPlan = JSON.parse(text);
  if (planned !== version) {
    throw new ShardProblem(`is version ${version}, and the coordinator ${planned}`);
  }
  const { origin } = plan.target;
  const { hostname } = new URL(origin);
  if (!isLoopback(origin) && !allowedTargets.includes(hostname)) {
    throw new ShardProblem(
      `may not send requests to ${hostname} (start it with --allow-target ${hostname} to allow that) and was let go`,
    );
  }
  return plan;
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
