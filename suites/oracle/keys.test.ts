import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { PLAN_LIMITS } from '../../contract/plans.ts';
import {
  describeDay,
  isDayShort,
  leftOfDay,
  newUsage,
  planningLimits,
  secondsUntilClean,
  secondsUntilFresh,
  secondsUntilRoom,
  sentInLastMinute,
  type Key,
} from './keys.ts';

const WINDOW = 60_000;

function keyOf(perMinute: number): Key {
  return {
    label: 'free#1',
    secret: 'k1',
    plan: 'free',
    limits: { perMinute, perDay: 1_000 },
    issued: false,
    usedToday: 0,
    usage: newUsage(),
  };
}

/** Some gaps between requests, in milliseconds, that add up to a few minutes. */
const gaps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 60 });

/** A key that was used at these intervals, and the moment of its last use. */
function usedKey(intervals: readonly number[], perMinute = 60): { readonly key: Key; readonly now: number } {
  const key = keyOf(perMinute);
  let now = 0;
  for (const interval of intervals) {
    now += interval;
    key.usage.sentAt.push(now);
  }
  return { key, now };
}

describe('planningLimits', () => {
  test.each([
    ['free', PLAN_LIMITS.free],
    ['pro', PLAN_LIMITS.pro],
    ['business', PLAN_LIMITS.business],
    // The smallest, since nothing is known of it.
    ['enterprise', PLAN_LIMITS.free],
  ] as const)('of a %s key without limits of its own', (plan, limits) => {
    expect(planningLimits({ plan, limits: null })).toEqual(limits);
  });

  test('are those of the key if it has any', () => {
    const limits = { perMinute: 5_000, perDay: 500_000 };
    expect(planningLimits({ plan: 'enterprise', limits })).toEqual(limits);
  });
});

test('sentInLastMinute counts no fewer than any window of a minute that ends now or later', () => {
  fc.assert(
    fc.property(gaps, fc.integer({ min: 0, max: 90_000 }), (intervals, later) => {
      const { key, now } = usedKey(intervals);
      const end = now + later;
      const { sentAt } = key.usage;
      const counted = sentInLastMinute(key, end);
      expect(counted).toBeGreaterThanOrEqual(sentAt.filter((moment) => moment > end - WINDOW).length);
      expect(counted).toBeLessThanOrEqual(sentAt.filter((moment) => moment > end - WINDOW - 3_000).length);
    }),
  );
});

describe('secondsUntilRoom', () => {
  test('keeps every window of a minute within the limit', () => {
    const steps = fc.array(
      fc.record({ pause: fc.integer({ min: 0, max: 40_000 }), share: fc.integer({ min: 1, max: 100 }) }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), steps, (perMinute, plan) => {
        const key = keyOf(perMinute);
        const { sentAt } = key.usage;
        let now = 0;
        for (const { pause, share } of plan) {
          const requests = Math.max(1, Math.floor((perMinute * share) / 100));
          now += pause;
          now += secondsUntilRoom(key, requests, now) * 1000;
          sentAt.push(...Array.from({ length: requests }, () => now));
        }
        for (const begin of sentAt) {
          const inWindow = sentAt.filter((moment) => moment >= begin && moment < begin + WINDOW);
          expect(inWindow.length).toBeLessThanOrEqual(perMinute);
        }
      }),
    );
  });

  test('is none if there is room', () => {
    const { key, now } = usedKey([0, 1_000, 1_000], 5);
    expect(secondsUntilRoom(key, 2, now)).toBe(0);
    expect(secondsUntilRoom(key, 3, now)).toBeGreaterThan(57);
  });

  test('lasts no longer than the whole window takes to pass', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 60 }), (intervals, requests) => {
        const { key, now } = usedKey(intervals);
        expect(secondsUntilRoom(key, requests, now)).toBeLessThanOrEqual(secondsUntilClean(key, now));
      }),
    );
  });

  test('keeps a Retry-After, even if there is room', () => {
    const { key, now } = usedKey([0]);
    key.usage.retryAt = now + 90_000;
    expect(secondsUntilRoom(key, 1, now)).toBe(90);
  });
});

describe('secondsUntilClean', () => {
  test('is none for a key that was never used', () => {
    expect(secondsUntilClean(keyOf(60), 5_000)).toBe(0);
  });

  test('leaves no request in the minute before', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 90_000 }), (intervals, later) => {
        const { key, now } = usedKey(intervals);
        const clean = now + later + secondsUntilClean(key, now + later) * 1000;
        expect(key.usage.sentAt.filter((moment) => moment > clean - WINDOW)).toEqual([]);
      }),
    );
  });

  test('begins with the last response, since a server counts a request when it arrives', () => {
    const { key } = usedKey([1_000]);
    key.usage.last = { rateLimit: { limit: 60, remaining: 59, reset: 0 }, receivedAt: 9_000 };
    expect(secondsUntilClean(key, 9_000)).toBeGreaterThanOrEqual(60);
  });
});

describe('secondsUntilFresh', () => {
  test('leaves no request in the minute before, and keeps a Retry-After', () => {
    fc.assert(
      fc.property(gaps, fc.nat({ max: 90_000 }), fc.nat({ max: 120_000 }), (intervals, later, retryIn) => {
        const { key, now: last } = usedKey(intervals);
        const now = last + later;
        key.usage.retryAt = now + retryIn;
        const fresh = now + secondsUntilFresh(key, now) * 1000;
        expect(key.usage.sentAt.filter((moment) => moment > fresh - WINDOW)).toEqual([]);
        expect(fresh).toBeGreaterThanOrEqual(key.usage.retryAt - 0.001);
      }),
    );
  });

  test('is none if the last response showed a window that had just begun', () => {
    const { key, now } = usedKey([0, 1_000]);
    key.usage.acceptedSinceFull = 1;
    expect(secondsUntilFresh(key, now)).toBe(0);
    key.usage.acceptedSinceFull = 2;
    expect(secondsUntilFresh(key, now)).toBeGreaterThanOrEqual(60);
  });
});

function withDay(isSpared: boolean): Key {
  const key = { ...keyOf(60), isSpared };
  key.usage.sentAt.push(1_000, 2_000);
  key.usage.day = { most: 22, endsAt: 3_600_000 };
  return key;
}

describe('a key of which an answer told what is left of the day', () => {
  const now = 5_000;

  test('has no room until the day ends for what would leave too little to put quantities back', () => {
    const key = withDay(true);
    expect(leftOfDay(key, now)).toBe(20);
    expect([isDayShort(key, 12, now), isDayShort(key, 13, now)]).toEqual([false, true]);
    expect(secondsUntilRoom(key, 12, now)).toBe(0);
    expect(secondsUntilRoom(key, 13, now)).toBe(3_595);
    expect(describeDay(key, now)).toMatch(/^The day of free#1 has 20 requests left, too few/);
  });

  test('has room again once that day is over', () => {
    expect(secondsUntilRoom(withDay(true), 13, 3_600_000)).toBe(0);
  });

  test('is used up where limits are tested', () => {
    expect(secondsUntilRoom(withDay(false), 40, now)).toBe(0);
  });
});
