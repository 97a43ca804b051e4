import { setTimeout as pause } from 'node:timers/promises';

// A timer cannot wait for less.
const LEAST_WAIT_MILLISECONDS = 1;

/** Waits for the next slot; `false` at once if that is after `until`, a moment of `performance.now()`. */
export type Pace = (until: number) => Promise<boolean>;

/**
 * Keeps many senders together below a rate: each waits for its own slot before it sends.
 * @param rate requests a second
 * @param firstSlotAt moment of `performance.now()`; at once by default
 */
export function paceOf(rate: number, firstSlotAt = Number.NEGATIVE_INFINITY): Pace {
  const interval = 1000 / rate;
  let free = firstSlotAt;
  return async (until) => {
    const now = performance.now();
    const slot = Math.max(free, now);
    if (slot >= until) {
      return false;
    }
    free = slot + interval;
    if (slot - now >= LEAST_WAIT_MILLISECONDS) {
      await pause(Math.ceil(slot - now));
    }
    return true;
  };
}
