import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { paceOf, type Pace } from './closed-model.ts';

/** Senders that go on for that long; returns how many requests they sent. */
async function sentWithin(
  milliseconds: number,
  rate: number,
  senders: number,
  given?: Pace,
): Promise<number> {
  const endsAt = performance.now() + milliseconds;
  const paced = given ?? paceOf(rate);
  let sent = 0;
  const send = async (): Promise<void> => {
    while (await paced.slot(endsAt)) {
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  return sent;
}

describe('a pace', () => {
  test.each([1, 7, 50])('is never exceeded by %i senders together', async (senders) => {
    const sent = await sentWithin(200, 100, senders);

    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(20);
  });

  test('makes up for slots that nobody took, but not for long ago', async () => {
    const paced = paceOf(100);
    await pause(60);
    for (let taken = 0; taken < 5; taken += 1) {
      await paced.slot(Infinity);
    }
    expect(paced.waited()).toBe(0);

    await pause(400);
    const wokeAt = performance.now();
    for (let taken = 0; taken < 20; taken += 1) {
      await paced.slot(Infinity);
    }
    expect(performance.now() - wokeAt).toBeGreaterThan(50);
  });

  test('knows how long it was waited for', async () => {
    const slow = paceOf(100);
    await sentWithin(200, 100, 10, slow);
    // The second sender waits for 10 ms at least, the third for 20, and so on.
    expect(slow.waited()).toBeGreaterThan(100);
    const fast = paceOf(Number.POSITIVE_INFINITY);
    expect(await fast.slot(performance.now() + 1_000)).toBe(true);
    expect(fast.waited()).toBe(0);
  });
});
