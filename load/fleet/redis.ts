import { Redis } from 'ioredis';

import { InconclusiveError } from '../../contract/inconclusive-error.ts';
import { monotonicNow, type ClockOffset } from '../engine/monotonic-clock.ts';

const CONNECT_MILLISECONDS = 5_000;
const COMMAND_MILLISECONDS = 3_000;
const LONGEST_PAUSE_MILLISECONDS = 1_000;

/** A connection to Redis. */
export type FleetRedis = Awaited<ReturnType<typeof connectRedis>>;

/**
 * Connects; once that has worked, a lost connection is opened again.
 * @param option names where the URL comes from
 * @throws {InconclusiveError} if Redis cannot be reached
 */
export async function connectRedis(url: string, option: string) {
  const { host } = new URL(url);
  const address = host.includes(':') ? host : `${host}:6379`;
  let isReady = false;
  let problem = 'no answer';
  const commands = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MILLISECONDS,
    commandTimeout: COMMAND_MILLISECONDS,
    maxRetriesPerRequest: 1,
    retryStrategy: (tries: number) => (isReady ? Math.min(LONGEST_PAUSE_MILLISECONDS, 100 * tries) : null),
  });
  commands.on('error', (error: Error & { readonly code?: unknown }) => {
    problem = typeof error.code === 'string' ? error.code : error.message;
  });
  /** What is under way fails. */
  const close = (): void => commands.disconnect();
  /** Reports once when the connection is lost, and once when it is back. */
  const onConnection = (onLost: () => void, onBack: () => void): void => {
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
    await commands.connect();
  } catch {
    close();
    throw new InconclusiveError(`${option}: Redis at ${address} cannot be reached (${problem}).`);
  }
  isReady = true;
  return {
    /** For commands that succeed soon or fail. */
    commands,
    /** `HOST:PORT`, without a password. */
    address,
    onConnection,
    close,
  };
}

/** A look at a remote clock. Moments are milliseconds; the local ones were taken before and after it. */
interface ClockSample {
  readonly before: number;
  readonly remote: number;
  readonly after: number;
}

/** The offset by the sample with the shortest round trip: the remote clock was read somewhere within it. */
export function offsetOf(samples: readonly ClockSample[]): ClockOffset {
  const [best] = samples.toSorted((a, b) => a.after - a.before - (b.after - b.before));
  if (best === undefined) {
    throw new RangeError('Without a sample no offset is known');
  }
  const { before, remote, after } = best;
  return { milliseconds: remote - (before + after) / 2, uncertainty: (after - before) / 2 };
}

const ROUND_TRIPS = 20;

export async function measureOffset(redis: Pick<Redis, 'time'>): Promise<ClockOffset> {
  const samples: ClockSample[] = [];
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    const before = monotonicNow();
    const [seconds, microseconds] = await redis.time();
    samples.push({
      before,
      remote: Number(seconds) * 1000 + Number(microseconds) / 1000,
      after: monotonicNow(),
    });
  }
  return offsetOf(samples);
}
