import type { Redis } from 'ioredis';

import {
  COORDINATOR,
  EXPIRY_MILLISECONDS,
  shardField,
  measurementNames,
  START,
  STOP,
  type ShardJob,
} from './fleet-protocol.ts';
import type { ShardReport } from '../shards/shard-progress.ts';

/** What a shard reports regularly, so that the coordinator knows that it is alive. */
export interface ShardState extends ShardReport {
  readonly worker: string;
  readonly phase: 'preparing' | 'ready' | 'running' | 'done' | 'failed';
  /** Why it failed, as the end of a sentence that begins with the worker. */
  readonly problem: string | null;
}

/** What the coordinator says to the workers. */
export interface Instructions {
  /** Redis time in Unix milliseconds at which all begin, or `null` while that is open. */
  readonly start: number | null;
  readonly isStopped: boolean;
  /** Whether the run that the shard belongs to is over, or its coordinator gone. */
  readonly isOrphan: boolean;
}

/** The Redis hash in which a coordinator and its workers report how a measurement goes. */
export interface ProgressHash {
  /** Reports the state of a shard, and reads the instructions of the coordinator. */
  readonly report: (shard: number, state: ShardState) => Promise<Instructions>;
  readonly instruct: (field: typeof START | typeof STOP, value: string) => Promise<void>;
  /** By number of the shard; `undefined` for one that nobody has taken yet. */
  readonly states: (of: number) => Promise<readonly (ShardState | undefined)[]>;
}

export function openProgressHash(redis: Redis, job: Pick<ShardJob, 'run' | 'measurement'>): ProgressHash {
  const { progress, plan, claimOf } = measurementNames(job);
  return {
    report: async (shard, state) => {
      await redis.hset(progress, shardField(shard), JSON.stringify(state));
      const [[start, stop], coordinator] = await Promise.all([
        redis.hmget(progress, START, STOP),
        redis.get(COORDINATOR),
        redis.pexpire(progress, EXPIRY_MILLISECONDS),
        redis.pexpire(claimOf(shard), EXPIRY_MILLISECONDS),
      ]);
      return {
        start: typeof start === 'string' ? Number(start) : null,
        isStopped: typeof stop === 'string',
        isOrphan: coordinator !== job.run,
      };
    },
    instruct: async (field, value) => {
      await redis.hset(progress, field, value);
    },
    states: async (of) => {
      const fields = Array.from({ length: of }, (_, shard) => shardField(shard));
      const [texts] = await Promise.all([
        redis.hmget(progress, ...fields),
        redis.pexpire(progress, EXPIRY_MILLISECONDS),
        redis.pexpire(plan, EXPIRY_MILLISECONDS),
      ]);
      return texts.map((text) => (text === null ? undefined : readState(text)));
    },
  };
}

function readState(text: string): ShardState {
  const state: ShardState = JSON.parse(text);
  return state;
}
