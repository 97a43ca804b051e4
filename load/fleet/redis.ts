import { Redis } from 'ioredis';

import { FleetError } from './fleet-error.ts';

const CONNECT_MILLISECONDS = 5_000;
const COMMAND_MILLISECONDS = 3_000;
const LONGEST_PAUSE_MILLISECONDS = 1_000;

/** Connections to one Redis. */
export interface FleetRedis {
  /** For what must be told soon or not at all. */
  readonly board: Redis;
  /** For BullMQ, whose commands wait until Redis is back. */
  readonly queues: Redis;
  /** `HOST:PORT`, without a password. */
  readonly address: string;
  readonly close: () => void;
}

/**
 * Connects twice; once that has worked, lost connections are opened again.
 * @param option names where the URL comes from
 * @throws {FleetError} where Redis can't be reached
 */
export async function connectRedis(url: string, option: string): Promise<FleetRedis> {
  const { host } = new URL(url);
  const address = host.includes(':') ? host : `${host}:6379`;
  let isReady = false;
  let problem = 'no answer';
  const common = {
    lazyConnect: true,
    connectTimeout: CONNECT_MILLISECONDS,
    retryStrategy: (tries: number) => (isReady ? Math.min(LONGEST_PAUSE_MILLISECONDS, 100 * tries) : null),
  };
  const board = new Redis(url, {
    ...common,
    commandTimeout: COMMAND_MILLISECONDS,
    maxRetriesPerRequest: 1,
  });
  const queues = new Redis(url, { ...common, maxRetriesPerRequest: null });
  for (const redis of [board, queues]) {
    redis.on('error', (error: Error & { readonly code?: unknown }) => {
      problem = typeof error.code === 'string' ? error.code : error.message;
    });
  }
  const close = (): void => {
    board.disconnect();
    queues.disconnect();
  };
  try {
    await Promise.all([board.connect(), queues.connect()]);
  } catch {
    close();
    throw new FleetError(`${option}: Redis at ${address} can't be reached (${problem}).`);
  }
  isReady = true;
  return { board, queues, address, close };
}
