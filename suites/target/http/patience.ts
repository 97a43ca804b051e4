const STEPS = 20;

/** Waits for something that may never come. */
export interface Patience {
  /** Whoever is waited for has been told to wait, so that no time counts. */
  readonly hold: (held: boolean) => void;
  readonly end: () => void;
}

/**
 * Calls `onPassed` each time that many milliseconds have passed, with how often they have. Counted in small steps,
 * each for no more than its length: what holds this process up does not count against the one waited for.
 */
export function bePatient(milliseconds: number, onPassed: (times: number) => void): Patience {
  let steps = 0;
  let isHeld = false;
  const timer = setInterval(() => {
    steps += isHeld ? 0 : 1;
    if (!isHeld && steps % STEPS === 0) {
      onPassed(steps / STEPS);
    }
  }, milliseconds / STEPS);
  return {
    hold: (held) => {
      isHeld = held;
    },
    end: () => clearInterval(timer),
  };
}
