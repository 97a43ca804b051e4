import { setTimeout as pause } from 'node:timers/promises';
import { deserialize } from 'node:v8';

import type { Redis } from 'ioredis';

import { messageOf } from '../../contract/error-text.ts';
import { totalSeconds } from '../engine/arrivals.ts';
import { monotonicNow } from '../engine/monotonic-clock.ts';
import type { KeyJournalPart } from '../judging/key-journal.ts';
import { sentenceOfLoss, type Carrier, type Crew } from '../shards/measure-in-shards.ts';
import { describeSkew } from '../shards/start-skew.ts';
import type { ShardPlan } from '../shards/shard-plan.ts';
import type { ShardOutcome } from '../shards/shard-run.ts';
import {
  EXPIRY_MILLISECONDS,
  jobOf,
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
import type { FleetRedis } from './redis.ts';
import { measureOffset } from './redis-clock.ts';

/** The workers of one measurement. */
export interface WorkerCrew extends Crew {
  /** Waits until all workers have ended or are lost, and removes what the measurement left in Redis. */
  readonly close: () => Promise<void>;
}

/** A shard, and what its worker last said of it. */
interface RemoteShard {
  readonly job: ShardJob;
  readonly worker: string;
  readonly ready: PromiseWithResolvers<void>;
  readonly done: PromiseWithResolvers<ShardOutcome>;
  /** Until when it has to be ready, or to have ended. */
  endsBy: number;
  state: ShardState | undefined;
  /** When it last said something new; `null` if it never did. */
  heardAt: number | null;
  onJournal: (part: KeyJournalPart) => void;
  /** Parts of its journal that have been read, and bytes of them that have been judged. */
  parts: number;
  judged: number;
  isOver: boolean;
}

// Workers set up their engines, and look every 20 ms whether a start is named.
const LEAD_MILLISECONDS = 500;
const LOOK_MILLISECONDS = 50;
const LONGEST_PREPARATION_MILLISECONDS = 20_000;
// Beyond its time, a shard gets this long to end.
const GRACE_MILLISECONDS = 15_000;
// A part comes with each report, so that hardly more than one waits to be read.
const PARTS_AT_ONCE = 8;

/** Redis is lost, and with it all workers, in a sentence. */
class FleetLost extends Error {
  override readonly name = 'FleetLost';
}

/** Has workers carry the shards of a measurement: tells them by Redis what to do, and looks there for what they say. */
export async function openWorkerCrew(
  { commands, address }: FleetRedis,
  workers: readonly string[],
  measurement: Pick<ShardJob, 'run' | 'measurement'>,
  version: string,
): Promise<WorkerCrew> {
  const offset = await measureOffset(commands);
  const redisNow = (): number => monotonicNow() + offset.milliseconds;
  const names = measurementNames(measurement);
  const shards = workers.map((worker, shard) =>
    openShard(worker, { ...measurement, shard, of: workers.length }),
  );
  const closing = new AbortController();
  let answeredAt = performance.now();
  const instruct = (field: string, value: string): void =>
    void commands.hset(names.progress, field, value).catch(() => {});
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted || shards.some(({ isOver }) => !isOver)) {
      try {
        await look(commands, shards);
        answeredAt = performance.now();
      } catch {
        if (performance.now() - answeredAt > SILENCE_MILLISECONDS) {
          const lost = `Redis at ${address} was lost, and with it the fleet, so what it measured is unknown.`;
          shards.forEach((shard) => lose(shard, new FleetLost(lost)));
        }
      }
      await pause(LOOK_MILLISECONDS);
    }
  };
  const watching = watch();
  return {
    carriers: shards.map((shard) => carrierOf(commands, shard, version, instruct)),
    called: 'workers',
    now: redisNow,
    uncertainty: offset.uncertainty,
    leadMilliseconds: LEAD_MILLISECONDS,
    describeLoss: (index, error, start) => {
      const shard = shards[index];
      if (shard === undefined || error instanceof FleetLost) {
        return messageOf(error);
      }
      const at = redisNow() - performance.now() + (shard.heardAt ?? performance.now());
      return describeWorkerLoss(shard, messageOf(error), { start, at });
    },
    describeStart: (skew) => describeSkew(workers, skew),
    close: async () => {
      await commands.del(workers.map(jobOf)).catch(() => {});
      shards.filter(({ state }) => state === undefined).forEach(end);
      closing.abort();
      await watching;
      const left = shards.flatMap(({ job: { shard } }) => [names.journalOf(shard), names.resultOf(shard)]);
      // Claims stay until they expire, so that a late delivery finds its shard taken.
      await commands.del(names.plan, names.progress, ...left).catch(() => {});
    },
  };
}

function openShard(worker: string, job: ShardJob): RemoteShard {
  const [ready, done] = [Promise.withResolvers<void>(), Promise.withResolvers<ShardOutcome>()];
  // Either may be rejected while nobody waits for it.
  ready.promise.catch(() => {});
  done.promise.catch(() => {});
  const nothing = { state: undefined, heardAt: null, parts: 0, judged: 0, isOver: false };
  return { ...nothing, job, worker, ready, done, endsBy: Infinity, onJournal: () => {} };
}

function carrierOf(
  commands: Redis,
  shard: RemoteShard,
  version: string,
  instruct: (field: string, value: string) => void,
): Carrier {
  const { job, worker, ready, done } = shard;
  const names = measurementNames(job);
  let seconds = 0;
  let timeout = 0;
  return {
    prepare: async (plan, _share, onJournal) => {
      seconds = secondsOf(plan);
      timeout = plan.target.timeoutMilliseconds;
      shard.onJournal = onJournal;
      shard.endsBy = performance.now() + LONGEST_PREPARATION_MILLISECONDS;
      const versioned = JSON.stringify({ ...plan, version } satisfies VersionedPlan);
      // One plan serves all shards.
      await commands.set(names.plan, versioned, 'PX', EXPIRY_MILLISECONDS, 'NX');
      await commands.set(jobOf(worker), JSON.stringify(job), 'PX', EXPIRY_MILLISECONDS);
      return ready.promise;
    },
    begin: (startsAt) => {
      shard.endsBy = performance.now() + seconds * 1000 + timeout + GRACE_MILLISECONDS;
      instruct(START, `${startsAt}`);
      return done.promise;
    },
    progress: () => shard.state?.progress ?? null,
    judged: (bytes) => {
      shard.judged += bytes;
      instruct(judgedField(job.shard), `${shard.judged}`);
    },
    stop: () => {
      ready.reject(new Error('was told to stop'));
      shard.endsBy = Math.min(shard.endsBy, performance.now() + timeout + SILENCE_MILLISECONDS);
      instruct(STOP, 'now');
    },
  };
}

function secondsOf({ load }: ShardPlan): number {
  return load.model === 'open' ? totalSeconds(load.stages) : load.seconds;
}

/** Reads what all workers have said, and keeps alive what they read. */
async function look(commands: Redis, shards: readonly RemoteShard[]): Promise<void> {
  const [first] = shards;
  if (first === undefined) {
    return;
  }
  const { progress, plan } = measurementNames(first.job);
  const [texts] = await Promise.all([
    commands.hmget(progress, ...shards.map(({ job }) => shardField(job.shard))),
    commands.pexpire(progress, EXPIRY_MILLISECONDS),
    commands.pexpire(plan, EXPIRY_MILLISECONDS),
  ]);
  await Promise.all(
    shards
      .filter(({ isOver }) => !isOver)
      .map(async (shard) => {
        hear(shard, texts[shard.job.shard] ?? null, performance.now());
        // Its worker writes the journal before it says what it was written up to.
        await readJournal(commands, shard);
        await conclude(commands, shard, performance.now());
      }),
  );
}

function hear(shard: RemoteShard, text: string | null, now: number): void {
  const state: ShardState | undefined = text === null ? undefined : JSON.parse(text);
  if (state !== undefined && state.beat !== shard.state?.beat) {
    shard.state = state;
    shard.heardAt = now;
  }
}

async function readJournal(commands: Redis, shard: RemoteShard): Promise<void> {
  const journal = measurementNames(shard.job).journalOf(shard.job.shard);
  for (;;) {
    const numbers = Array.from({ length: PARTS_AT_ONCE }, (_, index) => `${shard.parts + index}`);
    const found = await commands.hmgetBuffer(journal, ...numbers);
    const missing = found.indexOf(null);
    const read = found.slice(0, missing === -1 ? undefined : missing).filter((part) => part !== null);
    for (const bytes of read) {
      const part: KeyJournalPart = deserialize(bytes);
      shard.onJournal(part);
    }
    shard.parts += read.length;
    if (read.length > 0) {
      await commands.hdel(journal, ...numbers.slice(0, read.length));
    }
    if (read.length < PARTS_AT_ONCE) {
      return;
    }
  }
}

async function conclude(commands: Redis, shard: RemoteShard, now: number): Promise<void> {
  const { state, job, ready, done } = shard;
  if (state?.phase === 'ready') {
    ready.resolve();
  }
  const problem = problemOfShard(shard, now);
  if (problem !== null) {
    lose(shard, new Error(problem));
  } else if (state?.phase === 'done') {
    const result = await commands.get(measurementNames(job).resultOf(job.shard));
    if (result === null) {
      lose(shard, new Error('left no result'));
    } else {
      const outcome: ShardOutcome = JSON.parse(result);
      done.resolve(outcome);
      end(shard);
    }
  }
}

/** What is wrong with a shard, or `null`. */
export function problemOfShard(
  { state, heardAt, endsBy }: Pick<RemoteShard, 'state' | 'heardAt' | 'endsBy'>,
  now: number,
): string | null {
  if (state?.phase === 'failed') {
    return state.problem ?? 'failed';
  }
  if (state?.phase === 'done') {
    return null;
  }
  if (heardAt !== null && now - heardAt > SILENCE_MILLISECONDS) {
    return 'has not been heard from';
  }
  const hasBegun = state?.phase === 'running';
  return now > endsBy ? (hasBegun ? 'did not end in time' : 'was not ready in time') : null;
}

function end(shard: RemoteShard): void {
  shard.isOver = true;
}

function lose(shard: RemoteShard, error: Error): void {
  end(shard);
  shard.ready.reject(error);
  shard.done.reject(error);
}

/**
 * @param start Redis time of the common start; `null` if it was never named
 * @param at Redis time of its last report
 */
export function describeWorkerLoss(
  { worker, job }: Pick<RemoteShard, 'worker' | 'job'>,
  problem: string,
  { start, at }: { readonly start: number | null; readonly at: number },
): string {
  const share = `${nameShard(job)}, ${Math.round(100 / job.of)} % of the load,`;
  const when =
    start === null
      ? 'before the start'
      : `since ${Math.max(0, (at - start) / 1000).toFixed(1)} s after the start`;
  return sentenceOfLoss(`Worker ${worker}, which had ${share} ${problem} ${when}`);
}
