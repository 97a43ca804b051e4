import { hash } from 'node:crypto';
import type { Server } from 'node:net';

import { type JsonObject, stringifyJson } from '../../contract/json/index.ts';
import { seedInventory } from '../../fixtures/corpora/index.ts';

/** What each server serves, and to whom: an Enterprise key whose limits the load never reaches. */
export const BENCH_KEY = 'enterprise-Bench-Falcon-k3JtWq9VzD';
export const PER_MINUTE = 100_000_000;
export const PER_DAY = 10_000_000_000;
export const BENCH_ITEMS = seedInventory({ size: 20 });
export const BENCH_LIST: string = stringifyJson(
  BENCH_ITEMS.map(({ petId, quantity, status }): JsonObject => ({ petId, quantity, status })),
);

/** The key of a bearer Authorization field, looked up by its digest; `undefined` if it is not known. */
export function findKey(authorization: string | undefined): string | undefined {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : KNOWN.get(hash('sha256', token));
}

const KNOWN = new Map([[hash('sha256', BENCH_KEY), BENCH_KEY]]);

interface Listening {
  /** Where the list is; by default where the reference server has it. */
  readonly path?: string;
  /** When requests have come since it was called last, in Unix milliseconds. */
  readonly takeArrivals?: () => readonly number[];
}

/** Has a server listen on a free port, and tells the parent where. */
export function listenAndTell(server: Server, { path, takeArrivals }: Listening = {}): void {
  server.listen(0, '127.0.0.1', () => serveParent(listUrlOf(server, path), takeArrivals));
}

export function listUrlOf(server: Server, path = '/v1/inventory'): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${path}`;
}

/**
 * Tells the parent where the server listens, and its CPU time (user and system) whenever it asks.
 * @param takeArrivals when requests have come since it was called last, in Unix milliseconds
 */
export function serveParent(url: string, takeArrivals: () => readonly number[] = () => []): void {
  process.send?.({ url });
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage();
    process.send?.(question === 'arrivals' ? { moments: takeArrivals() } : { microseconds: user + system });
  });
  process.on('disconnect', () => process.exit());
}
