import { hash } from 'node:crypto';

import type { Redis } from 'ioredis';

import { importOptional } from '../../contract/optional-package.ts';
import { KEY_NAMES, SCRIPTS, type ScriptName } from './scripts.ts';

interface ConnectionEvents {
  /** Called at each time at which Redis can be asked again, but for the first. */
  readonly onReady: () => void;
  readonly onLost: () => void;
}

const DIGESTS: Readonly<Record<ScriptName, string>> = {
  join: hash('sha1', SCRIPTS.join),
  decide: hash('sha1', SCRIPTS.decide),
  apply: hash('sha1', SCRIPTS.apply),
  load: hash('sha1', SCRIPTS.load),
};

const PATIENCE_MILLISECONDS = 1_000;
const PATIENCE_AT_START_MILLISECONDS = 3_000;
const LONGEST_RETRY_MILLISECONDS = 100;

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
  let isLeaving = false;
  redis.on('close', () => {
    isLeaving = false;
  });
  const keys = KEY_NAMES.map((name) => `{${namespace}}:${name}`);
  const [state = ''] = keys;

  /** A Redis that is silent may wake up and carry out what piled up; a new connection leaves that behind. */
  async function within<Reply>(milliseconds: number, command: () => Promise<Reply>): Promise<Reply> {
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
  }

  async function evaluate(script: ScriptName, words: readonly string[]): Promise<unknown> {
    try {
      return await redis.evalsha(DIGESTS[script], keys.length, ...keys, ...words);
    } catch (error) {
      // A Redis that was started anew does not know the script; then it has not run.
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
        return redis.eval(SCRIPTS[script], keys.length, ...keys, ...words);
      }
      throw error;
    }
  }

  return {
    /**
     * Runs a script and gives its reply.
     * @throws {StoreUnavailableError} if there is no reply in time; the script may have run
     */
    run: (script: ScriptName, words: readonly string[], milliseconds = PATIENCE_MILLISECONDS) =>
      within(milliseconds, () => evaluate(script, words)),
    /** The salt that all processes of the service share; `candidate` becomes it if there is none. */
    agreeOnSalt: (candidate: string) =>
      within(PATIENCE_MILLISECONDS, async () => {
        await redis.hsetnx(state, 'salt', candidate);
        return (await redis.hget(state, 'salt')) ?? candidate;
      }),
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
