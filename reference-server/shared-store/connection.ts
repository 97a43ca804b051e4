import type { ChainableCommander, Redis } from 'ioredis';

import { importOptional } from '../../contract/optional-package.ts';
import type { Command } from './shared-state.ts';

/** Commands that were appended in one step. */
export interface LogEntry {
  /** Milliseconds of the clock of Redis since the Unix epoch, a hyphen, and a number; it grows from entry to entry. */
  readonly id: string;
  readonly commands: readonly Command[];
}

interface ConnectionEvents {
  /** Called at each time at which Redis can be asked again, but for the first. */
  readonly onReady: () => void;
  readonly onLost: () => void;
}

const PATIENCE_MILLISECONDS = 1_000;
const PATIENCE_AT_START_MILLISECONDS = 3_000;
const LONG_PATIENCE_MILLISECONDS = 10_000;
const LONG_ENTRY_CHARACTERS = 100_000;
const LONGEST_RETRY_MILLISECONDS = 100;

/**
 * Puts a snapshot in place of the entries before that of its id, unless a newer one has done so. Keys: the log and the
 * snapshot; arguments: the id and the snapshot.
 */
const SAVE = `
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) > 0 then
  redis.call('SET', KEYS[2], ARGV[2])
  redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
end`;

/** One connection to Redis, which is opened again whenever it is lost. */
export type StoreConnection = Awaited<ReturnType<typeof connectStore>>;

/**
 * Connects to Redis.
 * @throws {UnusableStoreError} if it cannot be reached, or does not answer as Redis
 * @throws {ConfigurationError} if ioredis is not installed
 */
export async function connectStore(url: string, namespace: string) {
  const { Redis } = await importOptional('A store in Redis', 'ioredis', () => import('ioredis'));
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MILLISECONDS,
    // A command is never sent twice, and never kept for later: it could count a request that was answered long ago.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) => Math.min(attempts * 20, LONGEST_RETRY_MILLISECONDS),
  });
  await open(redis);
  const within = createPatience(redis);
  const log = `{${namespace}}:log`;
  const snapshot = `{${namespace}}:snapshot`;

  function transact(milliseconds: number, fill: (transaction: ChainableCommander) => ChainableCommander) {
    return within(milliseconds, async () =>
      ((await fill(redis.multi()).exec()) ?? []).map(([error, reply]) => {
        if (error !== null) {
          throw error;
        }
        return reply;
      }),
    );
  }

  return {
    /**
     * Appends entries, and reads all from `known` on.
     * @throws {StoreUnavailableError} if there is no reply in time; they may have been appended
     */
    append: async (appended: readonly (readonly Command[])[], known: string) => {
      const texts = appended.map((commands) => JSON.stringify(commands));
      const isLong = texts.some((text) => text.length > LONG_ENTRY_CHARACTERS);
      const patience = isLong ? LONG_PATIENCE_MILLISECONDS : PATIENCE_MILLISECONDS;
      const replies = await transact(patience, (transaction) =>
        texts
          .reduce((filled, text) => filled.xadd(log, '*', 'commands', text), transaction)
          .xrange(log, known, '+')
          .xlen(log),
      );
      const [length, entries, ...ids] = replies.toReversed();
      return { ids: ids.toReversed().map(String), entries: readEntries(entries), length: Number(length) };
    },
    /** The newest snapshot as the entry whose place it takes, and the entries from it on. */
    read: async () => {
      const [saved, entries] = await transact(LONG_PATIENCE_MILLISECONDS, (transaction) =>
        transaction.get(snapshot).xrange(log, '-', '+'),
      );
      const [id = '', text = '[]'] = typeof saved === 'string' ? saved.split(/ (.*)/s) : [];
      return { snapshot: { id, commands: readCommands(text) }, entries: readEntries(entries) };
    },
    /** Keeps a snapshot in place of the entry with its id and those before it. */
    save: async ({ id, commands }: LogEntry): Promise<void> => {
      const text = `${id} ${JSON.stringify(commands)}`;
      await within(LONG_PATIENCE_MILLISECONDS, () => redis.eval(SAVE, 2, log, snapshot, id, text));
    },
    /** Which run of Redis this is: another one after each start. */
    readRun: () =>
      within(PATIENCE_MILLISECONDS, async () => {
        const information = await redis.info('server');
        return /^run_id:(\w+)/m.exec(information)?.[1] ?? '';
      }),
    listen: ({ onReady, onLost }: ConnectionEvents): void => {
      redis.on('ready', onReady);
      redis.on('close', onLost);
    },
    close: (): void => redis.disconnect(),
  };
}

/** A Redis that is silent may wake up and carry out what piled up; a new connection leaves that behind. */
function createPatience(redis: Redis) {
  let isLeaving = false;
  redis.on('close', () => {
    isLeaving = false;
  });
  return async <Reply>(milliseconds: number, command: () => Promise<Reply>): Promise<Reply> => {
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      silence.reject(new Error(`Redis is silent for ${milliseconds} ms`));
      if (!isLeaving) {
        isLeaving = true;
        redis.disconnect(true);
      }
    }, milliseconds);
    try {
      return await Promise.race([command(), silence.promise]);
    } catch (error) {
      throw new StoreUnavailableError('Redis does not answer', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

function readEntries(reply: unknown): readonly LogEntry[] {
  return asList(reply).map((entry) => {
    const [id, fields] = asList(entry);
    return { id: String(id), commands: readCommands(String(asList(fields)[1])) };
  });
}

function readCommands(text: string): readonly Command[] {
  return asList(JSON.parse(text)).map((command) => asList(command).map(String));
}

function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new TypeError('Redis holds something else than the log of a service');
  }
  return value;
}

async function open(redis: Redis): Promise<void> {
  let reason = 'it does not answer as Redis';
  redis.on('error', (error: Error) => {
    reason = error.message;
  });
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => silence.reject(new Error('it does not answer as Redis')),
    PATIENCE_AT_START_MILLISECONDS,
  );
  try {
    await Promise.race([redis.connect(), silence.promise]);
    await Promise.race([redis.ping(), silence.promise]);
  } catch (error) {
    redis.disconnect();
    throw new UnusableStoreError(`Redis cannot be used: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The store gives no answer at the moment; what was asked of it may have happened or not. */
export class StoreUnavailableError extends Error {}

/** The store has less than this process knows it had, so that nobody can say what remains of a limit. */
export class StateLostError extends Error {}

/** The store cannot serve this service; the message tells the user why, in a sentence without a stop. */
export class UnusableStoreError extends Error {}
