import { deserialize, serialize } from 'node:v8';
import type { Redis } from 'ioredis';

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

/** What two sides leave for each other, in order: a hash of Redis for each direction, in which each message has a number. */
export interface Mailbox<Sent, Received> {
  /** Takes a message, which is written with the next `exchange`. */
  readonly post: (message: Sent) => void;
  /**
   * Writes what waits, and that its owner lives; then takes out what came since the last time.
   * @throws {Error} if Redis is away; then nothing is lost
   */
  readonly exchange: () => Promise<{ readonly messages: readonly Received[]; readonly isAlive: boolean }>;
}

// Changes with each exchange.
const BEAT = 'beat';
// An exchange comes at least five times a second, so that hardly more than a few wait to be read.
const READ_AT_ONCE = 16;

/**
 * @param to key of what is sent, which expires
 * @param from key of what is received
 */
export function openMailbox<Sent, Received>(
  commands: Redis,
  to: string,
  from: string,
): Mailbox<Sent, Received> {
  // By number, so that one that is written again, because nobody said that it arrived, is there once.
  const unwritten = new Map<string, Buffer>();
  let posted = 0;
  let beat = 0;
  let taken = 0;
  let lastBeat = '';
  const write = async (): Promise<void> => {
    beat += 1;
    const written = [...unwritten.keys()];
    await commands.hset(to, new Map([...unwritten, [BEAT, Buffer.from(`${beat}`)]]));
    await commands.pexpire(to, EXPIRY_MILLISECONDS);
    written.forEach((number) => unwritten.delete(number));
  };
  return {
    post: (message) => {
      unwritten.set(`${posted}`, serialize(message));
      posted += 1;
    },
    exchange: async () => {
      await write();
      const numbers = Array.from({ length: READ_AT_ONCE }, (_, index) => `${taken + index}`);
      const [heard, ...found] = await commands.hmgetBuffer(from, BEAT, ...numbers);
      const missing = found.indexOf(null);
      const messages = found
        .slice(0, missing === -1 ? undefined : missing)
        .flatMap((bytes): readonly Received[] => (bytes === null ? [] : [deserialize(bytes)]));
      taken += messages.length;
      const isAlive = heard !== undefined && heard !== null && heard.toString() !== lastBeat;
      lastBeat = heard?.toString() ?? lastBeat;
      if (messages.length > 0) {
        await commands.hdel(from, ...numbers.slice(0, messages.length)).catch(() => {});
      }
      return { messages, isAlive };
    },
  };
}
