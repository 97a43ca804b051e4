import { workerData } from 'node:worker_threads';

import { monotonicNow } from './monotonic-clock.ts';
import { CLOSED, SETTINGS, WAKES, type TimerMemory } from './precise-timer.ts';

// A thread can wait for a part of a millisecond if it does nothing else; an event loop cannot.
function serve({ counters, moment }: TimerMemory): void {
  let served = 0;
  while (Atomics.load(counters, CLOSED) === 0) {
    const setting = Atomics.load(counters, SETTINGS);
    const left = served === setting ? Infinity : (moment[0] ?? 0) - monotonicNow();
    if (left > 0) {
      Atomics.wait(counters, SETTINGS, setting, left);
    } else {
      served = setting;
      Atomics.add(counters, WAKES, 1);
      Atomics.notify(counters, WAKES);
    }
  }
}

const memory: TimerMemory = workerData;
serve(memory);
