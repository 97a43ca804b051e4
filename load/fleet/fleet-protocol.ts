import type { ShardPlan } from '../shards/shard-plan.ts';

// Every Redis key of a fleet begins with this, also those of BullMQ.
const NAMESPACE = 'stockcheck';

/** BullMQ's queues: one job for each shard, and a parent job for each measurement. */
export const QUEUES = {
  prefix: NAMESPACE,
  shards: 'fleet-shards',
  measurements: 'fleet-measurements',
} as const;

/** Holds the id of the run that the fleet works for; it expires with its coordinator. */
export const COORDINATOR = `${NAMESPACE}:fleet:coordinator`;
/** The names of all workers that ever joined; those that are connected also have a presence. */
export const WORKERS = `${NAMESPACE}:fleet:workers`;

export function presenceOf(worker: string): string {
  return `${NAMESPACE}:fleet:worker:${worker}`;
}

/** What BullMQ carries: which shard of which measurement, and nothing secret. */
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

/** The keys of one measurement. All of them expire. */
export interface MeasurementNames {
  /** The load, with the secrets of its keys. */
  readonly plan: string;
  /** The progress hash: the coordinator writes `start` and `stop`, each shard a field of its own. */
  readonly progress: string;
  /** The worker that has taken a shard; a second one leaves it alone. */
  readonly claimOf: (shard: number) => string;
  readonly resultOf: (shard: number) => string;
}

export function measurementNames({
  run,
  measurement,
}: Pick<ShardJob, 'run' | 'measurement'>): MeasurementNames {
  const prefix = `${NAMESPACE}:fleet:run:${run}:${measurement}`;
  return {
    plan: `${prefix}:plan`,
    progress: `${prefix}:progress`,
    claimOf: (shard) => `${prefix}:claim:${shard}`,
    resultOf: (shard) => `${prefix}:result:${shard}`,
  };
}

export const START = 'start';
export const STOP = 'stop';

/** The field of the progress hash that a shard writes. */
export function shardField(shard: number): string {
  return `shard:${shard}`;
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
