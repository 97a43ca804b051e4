/** Unix seconds, with fractions; never runs backwards. */
export interface Clock {
  readonly now: () => number;
}

/** A clock that flows in real time and can be set forward. */
export interface VirtualClock extends Clock {
  /** @param seconds not negative */
  readonly advance: (seconds: number) => void;
}

/** Starts at the time of the system, and is untouched by later corrections of it. */
export function createVirtualClock(): VirtualClock {
  let offset = performance.timeOrigin / 1_000;
  return {
    now: () => offset + performance.now() / 1_000,
    advance: (seconds) => {
      offset += seconds;
    },
  };
}
