const STEPS = 20;

/** Watches something that may never come. */
export type Watchdog = ReturnType<typeof startWatchdog>;

/**
 * Calls `onElapsed` once that many milliseconds have passed since it last came on, or `most` times as many in all. They are
 * counted in small steps, each of which counts for no more than its length, and for less if it comes late: time that holds
 * up this process is not held against the one that is waited for.
 * @param onElapsed is told the milliseconds in all, and whether the last of them brought nothing
 */
export function startWatchdog(
  milliseconds: number,
  most: number,
  onElapsed: (waited: number, isSilent: boolean) => void,
) {
  const length = milliseconds / STEPS;
  let steps = 0;
  let progressAt = 0;
  let isPaused = false;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    steps += isPaused ? 0 : Math.min(1, (2 * length) / (now - last));
    last = now;
    const isSilent = steps >= progressAt + STEPS;
    if (!isPaused && (isSilent || steps >= most * STEPS)) {
      clearInterval(timer);
      onElapsed(steps * length, isSilent);
    }
  }, length);
  return {
    /** Some of it came. */
    comesOn: (): void => {
      progressAt = steps;
    },
    /** While it is paused, no time counts. */
    pause: (paused: boolean): void => {
      isPaused = paused;
    },
    stop: (): void => clearInterval(timer),
  };
}
