import { setTimeout as pause } from 'node:timers/promises';

// A timer cannot wait for less.
const LEAST_WAIT_MILLISECONDS = 1;
// More than a late timer or a busy machine takes, and too little for a burst that harms.
const MOST_ARREARS_MILLISECONDS = 100;

export type Pace = ReturnType<typeof paceOf>;

/**
 * Keeps many senders together below a rate, counted from the start: each waits for its own slot before it sends, and
 * slots that nobody was there to take are made up for.
 * @param rate requests a second
 * @param firstSlotAt moment of `performance.now()`; at once by default
 */
export function paceOf(rate: number, firstSlotAt = Number.NEGATIVE_INFINITY) {
  const interval = 1000 / rate;
  let free = Math.max(firstSlotAt, performance.now());
  let waited = 0;
  /** Waits for the next slot; `false` at once if that is after `until`, a moment of `performance.now()`. */
  const slot = async (until: number): Promise<boolean> => {
    const now = performance.now();
    const next = Math.max(free, now - MOST_ARREARS_MILLISECONDS);
    if (next >= until) {
      return false;
    }
    free = next + interval;
    if (next - now >= LEAST_WAIT_MILLISECONDS) {
      waited += next - now;
      await pause(Math.ceil(next - now));
    }
    return true;
  };
  return {
    slot,
    /** Milliseconds that all senders together have waited. */
    waited: (): number => waited,
  };
}
