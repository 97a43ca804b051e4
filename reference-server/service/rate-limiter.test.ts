import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { DAY_SECONDS, MINUTE_SECONDS } from '../../contract/plans.ts';
import type { KeyRecord } from './key-store.ts';
import { withBans, type BanRule } from './bans.ts';
import {
  createRateLimiter,
  tighterOf,
  type Decision,
  type LimitState,
  type RateLimiter,
} from './rate-limiter.ts';
import { windowFromFirstRequest } from './window.ts';
import { listRequest } from '../testing.test-data.ts';

const START = 1_790_000_000.25;

const REQUEST = listRequest();

function keyWith(perMinute: number, perDay: number): KeyRecord {
  return { key: 'key', plan: 'enterprise', limits: { perMinute, perDay } };
}

type Described = Omit<Decision, 'minute' | 'day'> & LimitState;

function decide(limiter: RateLimiter, key: KeyRecord, now: number): Described {
  const decision = limiter.decide(key, now, REQUEST);
  const { minute: _minute, day: _day, ...rest } = decision;
  return { ...rest, ...tighterOf(decision) };
}

function decider(key: KeyRecord, ban: BanRule | false = false): (now: number) => Described {
  const limiter = withBans(
    createRateLimiter(() => windowFromFirstRequest),
    ban,
  );
  return (now) => decide(limiter, key, now);
}

function times(count: number, action: () => Described): readonly Described[] {
  return Array.from({ length: count }, action);
}

describe('windows', () => {
  test('a fresh minute accepts exactly its limit', () => {
    const decide = decider(keyWith(60, 1_000));
    const accepted = times(60, () => decide(START));
    expect(accepted.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 60 }, (_, i) => 59 - i));
    expect(accepted.every((decision) => decision.accepted && decision.limit === 60)).toBe(true);
    expect(decide(START)).toEqual({
      accepted: false,
      banned: false,
      limit: 60,
      remaining: 0,
      resetUnixSeconds: 1_790_000_061,
      retryAfterSeconds: 60,
    });
  });

  test('the minute begins with the first request and ends 60 s later', () => {
    const decide = decider(keyWith(1, 1_000));
    decide(START);
    expect(decide(START + 59.999).accepted).toBe(false);
    expect(decide(START + 60)).toMatchObject({ accepted: true, resetUnixSeconds: 1_790_000_121 });
  });

  test('the day binds and is described if it leaves fewer requests than the minute', () => {
    const decide = decider(keyWith(5, 3));
    const dayEnd = Math.ceil(START + DAY_SECONDS);
    const described = times(4, () => decide(START)).map(({ limit, remaining, resetUnixSeconds }) => [
      limit,
      remaining,
      resetUnixSeconds,
    ]);
    expect(described).toEqual([2, 1, 0, 0].map((remaining) => [3, remaining, dayEnd]));
    expect(decide(START + 61)).toMatchObject({ accepted: false, retryAfterSeconds: DAY_SECONDS - 61 });
    expect(decide(START + DAY_SECONDS).accepted).toBe(true);
  });

  test('a request refused by the day starts no minute', () => {
    const decide = decider(keyWith(2, 1));
    decide(START);
    decide(START + DAY_SECONDS - 1);
    expect(decide(START + DAY_SECONDS)).toMatchObject({
      accepted: true,
      limit: 1,
      resetUnixSeconds: Math.ceil(START + 2 * DAY_SECONDS),
    });
  });

  test('earlier requests count into the day, not into the minute', () => {
    const limiter = createRateLimiter(() => windowFromFirstRequest);
    const key = keyWith(60, 1_000);
    limiter.countEarlier(key, 998, START);
    const decisions = times(3, () => decide(limiter, key, START + 10));
    expect(decisions.map(({ accepted }) => accepted)).toEqual([true, true, false]);
    expect(decisions[2]).toMatchObject({ limit: 1_000, retryAfterSeconds: DAY_SECONDS - 10 });
  });

  test('keys are independent, and a reset forgets', () => {
    const limiter = createRateLimiter(() => windowFromFirstRequest);
    const [key, other] = [keyWith(1, 10), keyWith(1, 10)];
    limiter.decide(key, START, REQUEST);
    expect(limiter.decide(key, START, REQUEST).accepted).toBe(false);
    expect(limiter.decide(other, START, REQUEST).accepted).toBe(true);
    limiter.reset();
    expect(limiter.decide(key, START, REQUEST).accepted).toBe(true);
  });
});

describe('bans', () => {
  const ban: BanRule = { afterRefused: 3, seconds: 300, status: 429, extended: false };

  test('begins with the continued request that the rule names', () => {
    const decide = decider(keyWith(1, 1_000), ban);
    decide(START);
    expect(times(4, () => decide(START)).map(({ banned }) => banned)).toEqual([false, false, false, true]);
  });

  test('outlasts the window, is not extended, and ends', () => {
    const decide = decider(keyWith(1, 1_000), ban);
    decide(START);
    times(4, () => decide(START));
    expect(decide(START + 100)).toMatchObject({ accepted: false, banned: true, retryAfterSeconds: 200 });
    expect(decide(START + 299.5)).toMatchObject({ accepted: false, retryAfterSeconds: 1 });
    expect(decide(START + 300).accepted).toBe(true);
  });

  test('never hits a client that waited', () => {
    const decide = decider(keyWith(1, 1_000), ban);
    for (let round = 0; round < 20; round += 1) {
      const now = START + round * MINUTE_SECONDS;
      expect(decide(now).accepted).toBe(true);
      expect(times(3, () => decide(now)).every(({ banned }) => !banned)).toBe(true);
    }
  });

  test('Retry-After reaches to the end of the window if that is later than the ban', () => {
    const decide = decider(keyWith(1, 1_000), { ...ban, seconds: 5 });
    decide(START);
    times(4, () => decide(START));
    expect(decide(START + 1)).toMatchObject({ banned: true, retryAfterSeconds: 59 });
    expect(decide(START + 6)).toMatchObject({ banned: false, accepted: false, retryAfterSeconds: 54 });
  });
});

test('whatever the limits, the ban and the pauses: never too many, and never refused after Retry-After', () => {
  const pause = fc.oneof(
    fc.constant(0),
    fc.double({ min: 0, max: 3, noNaN: true }),
    fc.double({ min: 0, max: 100_000, noNaN: true }),
    fc.constant('as told' as const),
  );
  const rule = fc.option(
    fc.record({
      afterRefused: fc.nat(4),
      seconds: fc.integer({ min: 1, max: 200_000 }),
      status: fc.constant(429 as const),
      extended: fc.boolean(),
    }),
    { nil: false as const },
  );
  const limits = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 12 }));
  fc.assert(
    fc.property(limits, rule, fc.array(pause, { maxLength: 80 }), ([perMinute, perDay], ban, pauses) => {
      const decide = decider(keyWith(perMinute, perDay), ban);
      const acceptedAt: number[] = [];
      let now = START;
      let told = 0;
      for (const wait of pauses) {
        now += wait === 'as told' ? told : wait;
        const decision = decide(now);
        const window = decision.limit === perMinute ? MINUTE_SECONDS : DAY_SECONDS;
        expect([perMinute, perDay]).toContain(decision.limit);
        expect(decision.remaining).toBeGreaterThanOrEqual(0);
        expect(decision.remaining).toBeLessThanOrEqual(decision.limit);
        expect(decision.resetUnixSeconds).toBeGreaterThanOrEqual(now);
        expect(decision.resetUnixSeconds).toBeLessThanOrEqual(
          now + (perMinute === perDay ? DAY_SECONDS : window) + 1,
        );
        expect(decision.accepted || decision.retryAfterSeconds >= 1).toBe(true);
        expect(decision.accepted || wait !== 'as told' || told === 0).toBe(true);
        if (decision.accepted) {
          acceptedAt.push(now);
        }
        told = decision.retryAfterSeconds;
      }
      expect(mostInFixedWindow(acceptedAt, MINUTE_SECONDS)).toBeLessThanOrEqual(perMinute);
      expect(mostInFixedWindow(acceptedAt, DAY_SECONDS)).toBeLessThanOrEqual(perDay);
    }),
  );
});

/** The most requests in a window if each window begins with the first request after the last one. */
function mostInFixedWindow(moments: readonly number[], seconds: number): number {
  let [most, count, end] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const moment of moments) {
    if (moment >= end) {
      [count, end] = [0, moment + seconds];
    }
    count += 1;
    most = Math.max(most, count);
  }
  return most;
}
