import { setTimeout as pause } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { InconclusiveError } from '../../contract/inconclusive-error.ts';

const CONNECT_MILLISECONDS = 5_000;
const COMMAND_MILLISECONDS = 3_000;
const LONGEST_PAUSE_MILLISECONDS = 1_000;

// Work that waits for an absent Redis gets this long.
const LONGEST_FAREWELL_MILLISECONDS = 3_000;
const ANSWER_MILLISECONDS = 1_000;

/** Waits for the end of work that is no longer needed, but not if Redis is away. */
export async function farewell(work: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([
    work.catch(() => {}),
    pause(LONGEST_FAREWELL_MILLISECONDS, undefined, patience).catch(() => {}),
  ]);
  patience.abort();
}

async function isAnswering(commands: Redis): Promise<boolean> {
  if (commands.status !== 'ready') {
    return false;
  }
  const patience = new AbortController();
  const answers = await Promise.race([
    commands.ping().then(
      () => true,
      () => false,
    ),
    pause(ANSWER_MILLISECONDS, false, patience).catch(() => false),
  ]);
  patience.abort();
  return answers;
}

/** Connections to one Redis. */
export interface FleetRedis {
  /** For commands that succeed soon or fail. */
  readonly commands: Redis;
  /** For BullMQ, whose commands wait until Redis is back. */
  readonly queues: Redis;
  /** `HOST:PORT`, without a password. */
  readonly address: string;
  /** Whether Redis answers within a second. */
  readonly answers: () => Promise<boolean>;
  /** Reports once when the connection is lost, and once when it is back. */
  readonly onConnection: (listener: ConnectionListener) => void;
  readonly close: () => void;
}

interface ConnectionListener {
  readonly onLost: () => void;
  readonly onBack: () => void;
}

/**
 * Connects twice; once that has worked, lost connections are opened again.
 * @param option names where the URL comes from
 * @throws {InconclusiveError} if Redis cannot be reached
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
  const commands = new Redis(url, {
    ...common,
    commandTimeout: COMMAND_MILLISECONDS,
    maxRetriesPerRequest: 1,
  });
  const queues = new Redis(url, { ...common, maxRetriesPerRequest: null });
  for (const redis of [commands, queues]) {
    redis.on('error', (error: Error & { readonly code?: unknown }) => {
      problem = typeof error.code === 'string' ? error.code : error.message;
    });
  }
  // BullMQ opens connections of its own for what blocks, and leaves them open if Redis is away.
  const copies: Redis[] = [];
  const duplicate = queues.duplicate.bind(queues);
  queues.duplicate = (override) => {
    const copy = duplicate(override);
    copies.push(copy);
    return copy;
  };
  const close = (): void => {
    for (const redis of [commands, queues, ...copies]) {
      redis.on('error', () => {});
      redis.disconnect();
    }
  };
  const onConnection = ({ onLost, onBack }: ConnectionListener): void => {
    let isLost = false;
    commands.on('reconnecting', () => {
      if (!isLost) {
        isLost = true;
        onLost();
      }
    });
    commands.on('ready', () => {
      if (isLost) {
        isLost = false;
        onBack();
      }
    });
  };
  try {
    await Promise.all([commands.connect(), queues.connect()]);
  } catch {
    close();
    throw new InconclusiveError(`${option}: Redis at ${address} cannot be reached (${problem}).`);
  }
  isReady = true;
  return { commands, queues, address, answers: () => isAnswering(commands), onConnection, close };
}
