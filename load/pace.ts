import { setTimeout as pause } from 'node:timers/promises';

// A timer can't wait for less.
const LEAST_WAIT_MILLISECONDS = 1;

/**
 * Keeps many senders together below a rate: each waits for its own slot before it sends.
 * @param rate requests a second
 */
export function paceOf(rate: number): () => Promise<void> {
  const interval = 1000 / rate;
  let free = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    const slot = Math.max(free, now);
    free = slot + interval;
    if (slot - now >= LEAST_WAIT_MILLISECONDS) {
      await pause(Math.ceil(slot - now));
    }
  };
}
