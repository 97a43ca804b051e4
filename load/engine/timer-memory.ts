/** What a precise timer shares with its thread. */
export interface TimerMemory {
  readonly counters: Int32Array<SharedArrayBuffer>;
  /** For which moment of `monotonicNow()` it was set last. */
  readonly moment: Float64Array<SharedArrayBuffer>;
}

// Places of the counters: how often the timer was set, how often its time was up, and whether it is closed.
export const SETTINGS = 0;
export const WAKES = 1;
export const CLOSED = 2;
