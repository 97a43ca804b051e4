import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

import { monotonicNow } from './monotonic-clock.ts';

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

export type PreciseTimer = ReturnType<typeof startPreciseTimer>;

/**
 * A timer that is late by a tenth of a millisecond, where one of Node is late by up to two. A thread of its own sleeps
 * until the moment, so that nothing has to look at the clock again and again and no processor is kept busy. It keeps the
 * process alive until it is closed.
 */
export function startPreciseTimer() {
  const memory: TimerMemory = {
    counters: new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)),
    moment: new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)),
  };
  const { counters, moment } = memory;
  // The thread has a time origin of its own.
  const origin = monotonicNow() - performance.now();
  const thread = new Worker(new URL(`precise-timer-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: memory,
  });
  let isReady = false;
  let pending: (() => void) | undefined;

  const wake = (): void => {
    const onTime = pending;
    pending = undefined;
    onTime?.();
  };
  const listen = async (): Promise<void> => {
    let wakes = 0;
    while (Atomics.load(counters, CLOSED) === 0) {
      const latest = Atomics.load(counters, WAKES);
      if (latest === wakes) {
        await Atomics.waitAsync(counters, WAKES, wakes).value;
      } else {
        wakes = latest;
        wake();
      }
    }
  };

  thread.once('online', () => {
    isReady = Atomics.load(counters, CLOSED) === 0;
    void listen();
  });
  // Whoever waits goes on without the thread.
  thread.once('error', () => {});
  thread.once('exit', () => {
    isReady = false;
    wake();
  });
  return {
    /** Whether it can be set: its thread takes some milliseconds to start, and might be lost. */
    isReady: (): boolean => isReady,
    /** Calls back at a moment of `performance.now()`, and no longer at the one that it was set for before. */
    set: (at: number, onTime: () => void): void => {
      pending = onTime;
      moment[0] = origin + at;
      Atomics.add(counters, SETTINGS, 1);
      Atomics.notify(counters, SETTINGS);
    },
    close: async (): Promise<void> => {
      pending = undefined;
      isReady = false;
      Atomics.store(counters, CLOSED, 1);
      Atomics.add(counters, SETTINGS, 1);
      Atomics.notify(counters, SETTINGS);
      Atomics.notify(counters, WAKES);
      await thread.terminate();
    },
  };
}
