import { once } from 'node:events';

/** Resolves at SIGINT or SIGTERM; a second signal then ends the process at once. */
export async function nextSignal(): Promise<void> {
  const settled = new AbortController();
  const waits = (['SIGINT', 'SIGTERM'] as const).map((signal) => once(process, signal, settled));
  await Promise.race(waits);
  settled.abort();
  await Promise.allSettled(waits);
}
