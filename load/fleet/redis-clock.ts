import type { Redis } from 'ioredis';

import { monotonicNow, type ClockOffset } from '../engine/monotonic-clock.ts';

/** A look at a remote clock. Moments are milliseconds; the local ones were taken before and after it. */
export interface ClockSample {
  readonly before: number;
  readonly remote: number;
  readonly after: number;
}

/** The offset by the sample with the shortest round trip: the remote clock was read somewhere within it. */
export function offsetOf(samples: readonly ClockSample[]): ClockOffset {
  const [best] = samples.toSorted((a, b) => a.after - a.before - (b.after - b.before));
  if (best === undefined) {
    throw new RangeError('Without a sample no offset is known');
  }
  const { before, remote, after } = best;
  return { milliseconds: remote - (before + after) / 2, uncertainty: (after - before) / 2 };
}

const ROUND_TRIPS = 20;

export async function measureOffset(redis: Pick<Redis, 'time'>): Promise<ClockOffset> {
  const samples: ClockSample[] = [];
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    const before = monotonicNow();
    const [seconds, microseconds] = await redis.time();
    samples.push({
      before,
      remote: Number(seconds) * 1000 + Number(microseconds) / 1000,
      after: monotonicNow(),
    });
  }
  return offsetOf(samples);
}
