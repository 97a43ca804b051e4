import { Redis } from 'ioredis';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

import { engineObstacle, startRedis, type RunningRedis } from '../../fixtures/container-engine.test-data.ts';
import type { ReferenceServerOptions, RunningServer } from '../start.ts';
import { SMALL_SERVICE } from '../testing.test-data.ts';
import { startSharedServer } from './start.ts';

/** Why the tests of the shared store cannot run here; `null` if they can. */
export const obstacle = await engineObstacle();
if (obstacle !== null) {
  console.warn(`SKIPPED, the shared store is not tested: ${obstacle}`);
}

/**
 * A Redis for all tests of a file.
 * @param isDurable whether each write is on disk before it is acknowledged, which takes time
 */
export function useRedis({ isDurable }: { readonly isDurable: boolean }): () => RunningRedis {
  let redis: RunningRedis | undefined;
  beforeAll(async () => {
    redis = await startRedis();
    if (!isDurable) {
      const client = new Redis(redis.url);
      await client.config('SET', 'appendfsync', 'no');
      client.disconnect();
    }
  });
  afterAll(async () => {
    await redis?.close();
  });
  return () => {
    if (redis === undefined) {
      throw new Error('Redis is not started yet');
    }
    return redis;
  };
}

let namespaces = 0;

/** A name that no other test uses on the same Redis. */
export function freshNamespace(): string {
  namespaces += 1;
  return `test-${namespaces}`;
}

/** Starts a server as `startForTest` does, with its state in Redis; it is closed at the end of the test. */
export async function startSharedForTest(
  url: string,
  namespace: string,
  options: ReferenceServerOptions = {},
): Promise<RunningServer> {
  const server = await startSharedServer({ ...SMALL_SERVICE, ...options }, { url, namespace });
  onTestFinished(() => server.close());
  return server;
}

/** Two servers of one service. */
export async function startTwo(
  url: string,
  namespace: string,
  options: ReferenceServerOptions = {},
): Promise<readonly [RunningServer, RunningServer]> {
  const first = await startSharedForTest(url, namespace, options);
  return [first, await startSharedForTest(url, namespace, options)];
}
