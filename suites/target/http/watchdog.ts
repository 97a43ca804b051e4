const STEPS = 20;

/** Watches something that may never come. */
export type Watchdog = ReturnType<typeof startWatchdog>;

/**
 * Calls `onElapsed` each time that many milliseconds have passed, with how often they have. They are counted in small
 * steps, each of which counts for no more than its length, and for less if it comes late: time that holds up this process
 * is not held against the one that is waited for.
 */
export function startWatchdog(milliseconds: number, onElapsed: (times: number) => void) {
  const length = milliseconds / STEPS;
  let steps = 0;
  let times = 0;
  let isPaused = false;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    steps += isPaused ? 0 : Math.min(1, (2 * length) / (now - last));
    last = now;
    if (!isPaused && steps >= (times + 1) * STEPS) {
      times += 1;
      onElapsed(times);
    }
  }, length);
  return {
    /** While it is paused, no time counts. */
    pause: (paused: boolean): void => {
      isPaused = paused;
    },
    stop: (): void => clearInterval(timer),
  };
}
