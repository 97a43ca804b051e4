import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { startWatchdog } from './watchdog.ts';

const STEP_MILLISECONDS = 5;
const STEPS = 20;

/** Keeps the processor, as others do on a busy machine. */
function holdUp(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

test('a process that comes to each step late has waited for less than it seems', async () => {
  let elapsed = 0;
  const watchdog = startWatchdog(STEPS * STEP_MILLISECONDS, 3, () => (elapsed += 1));
  onTestFinished(watchdog.stop);
  for (let turn = 0; turn < STEPS + 5; turn += 1) {
    holdUp(5 * STEP_MILLISECONDS);
    await nextTurn();
  }
  expect(elapsed).toBe(0);
  await expect.poll(() => elapsed, { timeout: 60_000 }).toBeGreaterThan(0);
});
