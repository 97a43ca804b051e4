import type { ShardPlan } from '../shards/shard-plan.ts';
import type { ShardProgress } from '../shards/shard-run.ts';

// Every Redis key of a fleet begins with this.
const NAMESPACE = 'stockcheck:fleet';

/** Holds the id of the run that the fleet works for; it expires with its coordinator. */
export const COORDINATOR = `${NAMESPACE}:coordinator`;
/** The names of all workers that ever joined; those that are connected also have a presence. */
export const WORKERS = `${NAMESPACE}:workers`;

export function presenceOf(worker: string): string {
  return `${NAMESPACE}:worker:${worker}`;
}

/** Where a worker finds the shard that it is to run next. */
export function jobOf(worker: string): string {
  return `${presenceOf(worker)}:job`;
}

/** Which shard of which measurement a worker is to run, and nothing secret. */
export interface ShardJob {
  readonly run: string;
  readonly measurement: number;
  readonly shard: number;
  readonly of: number;
}

/** A plan as it lies in Redis. */
export interface VersionedPlan extends ShardPlan {
  /** Of stockcheck; a worker of another version may read the plan differently. */
  readonly version: string;
}

/** What a shard reports regularly, so that the coordinator knows that it is alive. */
export interface ShardState {
  readonly phase: 'preparing' | 'ready' | 'running' | 'done' | 'failed';
  /** Counts its reports. */
  readonly beat: number;
  /** Why it failed, as the end of a sentence that begins with the worker. */
  readonly problem: string | null;
  readonly progress: ShardProgress | null;
}

/** The keys of one measurement. All of them expire. */
export interface MeasurementNames {
  /** The load, with the secrets of its keys. */
  readonly plan: string;
  /** The progress hash: the coordinator writes `start` and `stop`, each shard a field of its own. */
  readonly progress: string;
  /** The worker that has taken a shard; a second one leaves it alone. */
  readonly claimOf: (shard: number) => string;
  /** A hash of the parts of the key journal of a shard, by number. */
  readonly journalOf: (shard: number) => string;
  readonly resultOf: (shard: number) => string;
}

export function measurementNames({
  run,
  measurement,
}: Pick<ShardJob, 'run' | 'measurement'>): MeasurementNames {
  const prefix = `${NAMESPACE}:run:${run}:${measurement}`;
  return {
    plan: `${prefix}:plan`,
    progress: `${prefix}:progress`,
    claimOf: (shard) => `${prefix}:claim:${shard}`,
    journalOf: (shard) => `${prefix}:journal:${shard}`,
    resultOf: (shard) => `${prefix}:result:${shard}`,
  };
}

export const START = 'start';
export const STOP = 'stop';

/** The field of the progress hash that a shard writes. */
export function shardField(shard: number): string {
  return `shard:${shard}`;
}

/** The field of the progress hash in which the coordinator says how many bytes of a shard's journal have been judged. */
export function judgedField(shard: number): string {
  return `judged:${shard}`;
}

/** A run that is silent for this long is over, and a silent worker is lost. */
export const SILENCE_MILLISECONDS = 6_000;
export const HEARTBEAT_MILLISECONDS = 1_000;
/** What nobody clears away is gone after this long. */
export const EXPIRY_MILLISECONDS = 60_000;

/** `shard 2 of 3` */
export function nameShard({ shard, of }: Pick<ShardJob, 'shard' | 'of'>): string {
  return `shard ${shard + 1} of ${of}`;
}
