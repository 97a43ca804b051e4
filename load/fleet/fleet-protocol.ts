// Every Redis key of a fleet begins with this.
const NAMESPACE = 'stockcheck:fleet';

/** Holds the id of the run that the fleet works for; it expires with its coordinator. */
export const COORDINATOR = `${NAMESPACE}:coordinator`;
/** The names of all workers that ever joined; those that are connected also have a presence. */
export const WORKERS = `${NAMESPACE}:workers`;

/** What a presence says of a worker without a shard, and of one with a shard. */
export const IDLE = 'idle';
export const BUSY = 'busy';

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
  /** Of stockcheck; a worker of another version may read a plan differently. */
  readonly version: string;
}

/** The keys of a shard. All of them expire. */
export function shardKeys({ run, measurement, shard }: ShardJob) {
  const prefix = `${NAMESPACE}:run:${run}:${measurement}`;
  return {
    /** The worker that has taken it; a second one leaves it alone. */
    claim: `${prefix}:claim:${shard}`,
    /** Mailbox to the worker: the load, with the secrets of its keys, and when to begin and to stop. */
    toWorker: `${prefix}:to:${shard}`,
    /** Mailbox from the worker: how the shard goes, its key journal and its outcome. */
    fromWorker: `${prefix}:from:${shard}`,
  };
}

/** A run that is silent for this long is over, and a silent worker is lost. */
export const SILENCE_MILLISECONDS = 6_000;
export const HEARTBEAT_MILLISECONDS = 1_000;
/** How often a worker and its coordinator look for what the other says. */
export const LOOK_MILLISECONDS = 50;
/** What nobody clears away is gone after this long. */
export const EXPIRY_MILLISECONDS = 60_000;

/** `shard 2 of 3` */
export function nameShard({ shard, of }: Pick<ShardJob, 'shard' | 'of'>): string {
  return `shard ${shard + 1} of ${of}`;
}
