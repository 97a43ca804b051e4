const STEPS = 20;

/** Watches something that may never come. */
export interface Watchdog {
  /** While it is paused, no time counts. */
  readonly pause: (isPaused: boolean) => void;
  readonly stop: () => void;
}

/**
 * Calls `onElapsed` each time that many milliseconds have passed, with how often they have. They are counted in small
 * steps, each of which counts for no more than its length: time that holds up this process is not held against the
 * one that is waited for.
 */
export function startWatchdog(milliseconds: number, onElapsed: (times: number) => void): Watchdog {
  let steps = 0;
  let isPaused = false;
  const timer = setInterval(() => {
    steps += isPaused ? 0 : 1;
    if (!isPaused && steps % STEPS === 0) {
      onElapsed(steps / STEPS);
    }
  }, milliseconds / STEPS);
  return {
    pause: (paused) => {
      isPaused = paused;
    },
    stop: () => clearInterval(timer),
  };
}
