import { setTimeout as pause } from 'node:timers/promises';

import type { Redis } from 'ioredis';

import { messageOf } from '../../contract/error-text.ts';
import { totalSeconds } from '../engine/arrivals.ts';
import { monotonicNow } from '../engine/monotonic-clock.ts';
import {
  type Carrier,
  type FromCarrier,
  linkCarrier,
  type LinkedCarrier,
  type ShardPlan,
  type ToCarrier,
} from '../shards/carrier.ts';
import { sentenceOfLoss, type Crew, type StartSkew } from '../shards/measure-in-shards.ts';
import {
  EXPIRY_MILLISECONDS,
  jobOf,
  LOOK_MILLISECONDS,
  nameShard,
  shardKeys,
  SILENCE_MILLISECONDS,
  type ShardJob,
  openMailbox,
  type Mailbox,
} from './fleet-protocol.ts';
import { measureOffset, type FleetRedis } from './redis.ts';

/** A shard, and the worker that carries it. */
interface RemoteShard {
  readonly job: ShardJob;
  readonly worker: string;
  readonly link: LinkedCarrier;
  readonly mailbox: Mailbox<ToCarrier, FromCarrier>;
  hasBegun: boolean;
  /** Until when it has to be ready, or to have ended. */
  endsBy: number;
  /** When its worker last said something; `null` if it never did. */
  heardAt: number | null;
  isOver: boolean;
}

// Workers set up their engines, and have to hear of the start before it comes.
const LEAD_MILLISECONDS = 500;
const LONGEST_PREPARATION_MILLISECONDS = 20_000;
// Beyond its time, a shard gets this long to end.
const GRACE_MILLISECONDS = 15_000;

/** Redis is lost, and with it all workers, in a sentence. */
class FleetLost extends Error {
  override readonly name = 'FleetLost';
}

/** Has workers carry the shards of a measurement, each by a mailbox to it and one from it. */
export async function openWorkerCrew(
  { commands, address }: FleetRedis,
  workers: readonly string[],
  measurement: Pick<ShardJob, 'run' | 'measurement' | 'version'>,
) {
  const offset = await measureOffset(commands);
  const redisNow = (): number => monotonicNow() + offset.milliseconds;
  const shards = workers.map((worker, shard) =>
    openShard(commands, worker, { ...measurement, shard, of: workers.length }),
  );
  const closing = new AbortController();
  let answeredAt = performance.now();
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted || shards.some(({ isOver }) => !isOver)) {
      try {
        await Promise.all(shards.filter(({ isOver }) => !isOver).map(exchangeMessages));
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
  const crew: Crew = {
    carriers: shards.map((shard) => carrierOf(commands, shard)),
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
  };
  return {
    ...crew,
    /** Waits until all workers have ended or are lost, and removes what the measurement left in Redis. */
    close: async (): Promise<void> => {
      await commands.del(workers.map(jobOf)).catch(() => {});
      shards.forEach((shard) => {
        shard.isOver ||= shard.heardAt === null;
      });
      closing.abort();
      await watching;
      // Claims stay until they expire, so that a late delivery finds its shard taken.
      const mailboxes = shards.map(({ job }) => shardKeys(job));
      await commands
        .del(mailboxes.flatMap(({ toWorker, fromWorker }) => [toWorker, fromWorker]))
        .catch(() => {});
    },
  };
}

function openShard(commands: Redis, worker: string, job: ShardJob): RemoteShard {
  const { toWorker, fromWorker } = shardKeys(job);
  const mailbox = openMailbox<ToCarrier, FromCarrier>(commands, toWorker, fromWorker);
  const untouched = { hasBegun: false, endsBy: Infinity, heardAt: null, isOver: false };
  return { job, worker, link: linkCarrier(mailbox.post), mailbox, ...untouched };
}

/** The link of a shard, with an end to how long anything may take. */
function carrierOf(commands: Redis, shard: RemoteShard): Carrier {
  const { job, worker, link } = shard;
  let seconds = 0;
  let timeout = 0;
  return {
    ...link,
    prepare: async (plan, share, onJournal) => {
      seconds = secondsOf(plan);
      timeout = plan.target.timeoutMilliseconds;
      shard.endsBy = performance.now() + LONGEST_PREPARATION_MILLISECONDS;
      await commands.set(jobOf(worker), JSON.stringify(job), 'PX', EXPIRY_MILLISECONDS);
      return link.prepare(plan, share, onJournal);
    },
    begin: (startsAt) => {
      shard.hasBegun = true;
      shard.endsBy = performance.now() + seconds * 1000 + timeout + GRACE_MILLISECONDS;
      return link.begin(startsAt);
    },
    stop: () => {
      shard.endsBy = Math.min(shard.endsBy, performance.now() + timeout + SILENCE_MILLISECONDS);
      link.stop();
      if (!shard.hasBegun) {
        link.lose(new Error('was told to stop'));
      }
    },
  };
}

function secondsOf({ load }: ShardPlan): number {
  return load.model === 'open' ? totalSeconds(load.stages) : load.seconds;
}

async function exchangeMessages(shard: RemoteShard): Promise<void> {
  const { messages, isAlive } = await shard.mailbox.exchange();
  const now = performance.now();
  shard.heardAt = isAlive ? now : shard.heardAt;
  for (const message of messages) {
    shard.link.hear(message);
    shard.isOver ||= message.kind === 'done' || message.kind === 'failed';
  }
  const problem = problemOfShard(shard, now);
  if (problem !== null && !shard.isOver) {
    lose(shard, new Error(problem));
  }
}

/** What is wrong with a shard that is not over, or `null`. */
export function problemOfShard(
  { hasBegun, heardAt, endsBy }: Pick<RemoteShard, 'hasBegun' | 'heardAt' | 'endsBy'>,
  now: number,
): string | null {
  if (heardAt !== null && now - heardAt > SILENCE_MILLISECONDS) {
    return 'has not been heard from since';
  }
  return now > endsBy ? (hasBegun ? 'did not end in time' : 'was not ready in time') : null;
}

function lose(shard: RemoteShard, error: Error): void {
  shard.isOver = true;
  shard.link.lose(error);
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
    start === null ? 'before the start' : `${Math.max(0, (at - start) / 1000).toFixed(1)} s after the start`;
  return sentenceOfLoss(`Worker ${worker}, which had ${share} ${problem} ${when}`);
}

export function describeSkew(workers: readonly string[], { milliseconds, uncertainty }: StartSkew): string {
  const names = workers.toSorted().join(', ');
  return workers.length === 1
    ? `The fleet was one worker (${names}).`
    : `${workers.length} workers (${names}) began within ${milliseconds.toFixed(2)} ms of each other by Redis time, give or take ${uncertainty.toFixed(2)} ms.`;
}
