import { describe, expect, test } from 'vitest';

import { paceOf } from './pace.ts';

/** Senders that go on for that long; returns how many requests they sent. */
async function sentWithin(milliseconds: number, rate: number, senders: number): Promise<number> {
  const paced = paceOf(rate);
  const endsAt = performance.now() + milliseconds;
  let sent = 0;
  const send = async (): Promise<void> => {
    while (await paced(endsAt)) {
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
});
