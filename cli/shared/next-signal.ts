import { once } from 'node:events';

import { ENDING_SIGNALS } from './interruption.ts';

/** Resolves at SIGINT, SIGTERM or SIGHUP; a second signal then ends the process at once. */
export async function nextSignal(): Promise<void> {
  const settled = new AbortController();
  const waits = ENDING_SIGNALS.map((signal) => once(process, signal, settled));
  await Promise.race(waits);
  settled.abort();
  await Promise.allSettled(waits);
}
