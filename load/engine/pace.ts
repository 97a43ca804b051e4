import { setTimeout as pause } from 'node:timers/promises';

// A timer cannot wait for less.
const LEAST_WAIT_MILLISECONDS = 1;

export interface Pace {
  /** Waits for the next slot; `false` at once if that is after `until`, a moment of `performance.now()`. */
  readonly slot: (until: number) => Promise<boolean>;
  /** Milliseconds that all senders together have waited. */
  readonly waited: () => number;
}

/**
 * Keeps many senders together below a rate: each waits for its own slot before it sends.
 * @param rate requests a second
 * @param firstSlotAt moment of `performance.now()`; at once by default
 */
export function paceOf(rate: number, firstSlotAt = Number.NEGATIVE_INFINITY): Pace {
  const interval = 1000 / rate;
  let free = firstSlotAt;
  let waited = 0;
  const take = async (until: number): Promise<boolean> => {
    const now = performance.now();
    const slot = Math.max(free, now);
    if (slot >= until) {
      return false;
    }
    free = slot + interval;
    if (slot - now >= LEAST_WAIT_MILLISECONDS) {
      waited += slot - now;
      await pause(Math.ceil(slot - now));
    }
    return true;
  };
  return { slot: take, waited: () => waited };
}
