import { once } from 'node:events';

/** Resolves at SIGINT, SIGTERM or SIGHUP; a second signal then ends the process at once. */
export async function nextSignal(): Promise<void> {
  const settled = new AbortController();
  const waits = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal, settled));
  await Promise.race(waits);
  settled.abort();
  await Promise.allSettled(waits);
}
