import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { seededRandom } from '../contract/seeded-random.ts';
import { exactPolicy, jitterByShare, jitterBySeconds, type ClientPolicy } from './client-policy.ts';
import { fittedPolicy, fitWaits, type MeasuredScenario } from './fitted-policy.ts';

/** What would be measured of a client with that policy: refused with each Retry-After in turn, then granted. */
function measure(policy: ClientPolicy, asked: readonly number[], seed: number): MeasuredScenario {
  const random = seededRandom(seed);
  let now = 0;
  const timeline = asked.map((seconds, index) => {
    const entry = {
      receivedSeconds: now,
      answeredSeconds: now,
      status: 429,
      retryAfter: `${seconds}`,
      allowedSeconds: now + seconds,
    };
    now += policy.wait({ retryAfterSeconds: seconds, inARow: index + 1 }, random) ?? 0;
    return entry;
  });
  const last = {
    receivedSeconds: now,
    answeredSeconds: now,
    status: 200,
    retryAfter: null,
    allowedSeconds: null,
  };
  return { timeline: [...timeline, last], hasEnded: true };
}

function fitOf(...measured: Parameters<typeof fitWaits>): ClientPolicy {
  const fit = fitWaits(...measured);
  if (fit === null) {
    throw new Error('Nothing was measured');
  }
  return fittedPolicy('measured', fit);
}

const SECONDS = [1, 2, 2, 3, 35];

function waitsOf(policy: ClientPolicy, asked: number): readonly number[] {
  const random = seededRandom(3);
  return Array.from(
    { length: 200 },
    () => policy.wait({ retryAfterSeconds: asked, inARow: 1 }, random) ?? -1,
  );
}

test('a client that waits exactly is found to', () => {
  const fitted = fitOf(SECONDS.map((seconds, seed) => measure(exactPolicy, [seconds], seed)));
  expect(waitsOf(fitted, 60).every((wait) => Math.abs(wait - 60) < 1e-9)).toBe(true);
});

test('what is added to Retry-After stays within what was measured', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(), (seconds, seed) => {
      const measured = SECONDS.map((asked, index) =>
        measure(jitterBySeconds(seconds), [asked], seed + index),
      );
      const fitted = fitOf(measured);
      const waits = waitsOf(fitted, 30);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(30 - 1e-9);
    }),
  );
});

test('jitter that grows with Retry-After is told from jitter that does not', () => {
  const long = [1, 4, 16, 35, 60, 120];
  const byShare = fitOf(long.map((seconds, seed) => measure(jitterByShare(1), [seconds], seed)));
  const bySeconds = fitOf(long.map((seconds, seed) => measure(jitterBySeconds(2), [seconds], seed)));
  expect(Math.max(...waitsOf(byShare, 1_000))).toBeGreaterThan(1_100);
  expect(Math.max(...waitsOf(bySeconds, 1_000))).toBeLessThan(1_003);
});

test('a client that is early by a share of Retry-After stays so', () => {
  const early: ClientPolicy = {
    ...exactPolicy,
    wait: ({ retryAfterSeconds }) => 0.9 * (retryAfterSeconds ?? 0),
  };
  const fitted = fitOf(SECONDS.map((seconds, seed) => measure(early, [seconds], seed)));
  expect(waitsOf(fitted, 60).every((wait) => Math.abs(wait - 54) < 0.01)).toBe(true);
});

test('it gives up where the client did: after so many refusals, or if the wait is too long', () => {
  const refused = measure(exactPolicy, [1, 1, 1], 1);
  const tired = { ...refused, timeline: refused.timeline.slice(0, -1) };
  const tooLong = measure(exactPolicy, [300], 1);
  const policy = fitOf([
    measure(exactPolicy, [35], 1),
    tired,
    { ...tooLong, timeline: tooLong.timeline.slice(0, -1) },
  ]);
  const random = seededRandom(1);
  expect(policy.wait({ retryAfterSeconds: 1, inARow: 2 }, random)).not.toBeNull();
  expect(policy.wait({ retryAfterSeconds: 1, inARow: 3 }, random)).toBeNull();
  expect(policy.wait({ retryAfterSeconds: 60, inARow: 1 }, random)).not.toBeNull();
  expect(policy.wait({ retryAfterSeconds: 300, inARow: 1 }, random)).toBeNull();
});

test('a client that was let go while it waited has not given up', () => {
  const waiting = measure(exactPolicy, [300], 1);
  const policy = fitOf([
    measure(exactPolicy, [2], 1),
    { timeline: waiting.timeline.slice(0, -1), hasEnded: false },
  ]);
  expect(policy.wait({ retryAfterSeconds: 300, inARow: 1 }, seededRandom(1))).toBeGreaterThanOrEqual(300);
});

test('what a herd did counts for all, and so does the wait that it declined', () => {
  const milliseconds = Array.from({ length: 50 }, (_, index) => index * 100);
  const policy = fitOf([measure(exactPolicy, [2], 1)], {
    refusals: [{ retryAfterSeconds: 2, milliseconds }],
    declined: 40,
  });
  const waits = waitsOf(policy, 30);
  expect(Math.max(...waits)).toBeGreaterThan(33);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(30);
  expect(policy.wait({ retryAfterSeconds: 39, inARow: 1 }, seededRandom(1))).not.toBeNull();
  expect(policy.wait({ retryAfterSeconds: 40, inARow: 1 }, seededRandom(1))).toBeNull();
});

test('a run without refusals says nothing', () => {
  const { timeline } = measure(exactPolicy, [], 1);
  expect(fitWaits([{ timeline, hasEnded: true }])).toBeNull();
});
