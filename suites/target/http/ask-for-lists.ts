import type { Exchange, Key } from '../../oracle/index.ts';
import { openConnections, type TransportOptions } from './http-transport.ts';
import { NoResponse } from './no-response.ts';
import { listInventory } from './operations.ts';
import { performExchange } from './perform-exchange.ts';
import type { TargetClient } from './target-client.ts';

/**
 * Has `use` ask for the list with a key, over a connection of its own.
 * @returns what `use` found out; `null` if the target stopped answering or the run was ended
 */
export async function askForLists<Result>(
  client: TargetClient,
  transport: TransportOptions,
  key: Key,
  use: (ask: () => Promise<Exchange>) => Promise<Result>,
): Promise<Result | null> {
  const pool = openConnections(client.origin, 1, transport);
  try {
    return await use(() => performExchange(client, pool, listInventory(), { key }));
  } catch (error) {
    if (error instanceof NoResponse || client.signal.aborted) {
      return null;
    }
    throw error;
  } finally {
    await pool.destroy();
  }
}
