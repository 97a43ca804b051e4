import { setTimeout as pause } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { startPreciseTimer, type PreciseTimer } from './precise-timer.ts';

async function readyTimer(): Promise<PreciseTimer> {
  const timer = startPreciseTimer();
  onTestFinished(timer.close);
  while (!timer.isReady()) {
    await pause(1);
  }
  return timer;
}

function wakeAt(timer: PreciseTimer, moment: number): Promise<number> {
  return new Promise((resolve) => {
    timer.set(moment, () => resolve(performance.now()));
  });
}

test('calls back at each moment it is set for, and never before', async () => {
  const timer = await readyTimer();
  for (const milliseconds of [5, 0.3, 0, -1, 1.7, 12]) {
    const moment = performance.now() + milliseconds;
    expect(await wakeAt(timer, moment)).toBeGreaterThanOrEqual(moment);
  }
});

test('calls back for the moment that it was set for last', async () => {
  const timer = await readyTimer();
  const called: string[] = [];
  timer.set(performance.now() + 3_600_000, () => called.push('an hour'));
  const soon = performance.now() + 2;
  const { promise, resolve } = Promise.withResolvers<void>();
  timer.set(soon, () => {
    called.push('soon');
    resolve();
  });
  await promise;
  await pause(10);
  expect(called).toEqual(['soon']);
});

test('once it is closed, its thread has ended and it calls back no more', async () => {
  const timer = await readyTimer();
  const called: string[] = [];
  timer.set(performance.now() + 5, () => called.push('late'));
  await timer.close();
  await pause(10);
  expect([called, timer.isReady()]).toEqual([[], false]);
  await startPreciseTimer().close();
});
