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

/** Tells the parent where the server listens, and its CPU time (user and system) whenever it asks. */
export function serveParent(url: string): void {
  process.send?.({ url });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ microseconds: user + system });
  });
  process.on('disconnect', () => process.exit());
}
