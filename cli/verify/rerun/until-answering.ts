import { setTimeout as delay } from 'node:timers/promises';

import { addressOf, openConnections, type TransportOptions } from '../../../suites/target/index.ts';

const POLL_MILLISECONDS = 250;

/**
 * Resolves once a service answers at that address, whatever it answers.
 * @param onWait is called if it does not at once
 */
export async function untilAnswering(
  url: string,
  transport: TransportOptions,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<void> {
  for (let attempts = 0; ; attempts += 1) {
    signal.throwIfAborted();
    if (await answers(url, transport)) {
      return;
    }
    if (attempts === 0) {
      onWait();
    }
    await delay(POLL_MILLISECONDS, undefined, { signal });
  }
}

async function answers(url: string, transport: TransportOptions): Promise<boolean> {
  const { origin, basePath } = addressOf(url);
  const connection = openConnections(origin, 1, transport);
  try {
    await connection.send({ method: 'GET', path: `${basePath}/inventory`, headers: [], body: null });
    return true;
  } catch {
    return false;
  } finally {
    await connection.destroy();
  }
}
