import { array, assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { WindowAlgorithm } from '../service/window.ts';
import {
  alignedWindow,
  slidingCounter,
  slidingLog,
  slidingSegments,
  windowRenewedByRefused,
} from './window-algorithms.ts';

const START = 1_790_000_017;
const SECONDS = 60;

/** Pauses between requests, in seconds; quarters keep sums exact. */
const pauses = array(
  integer({ min: 0, max: 400 }).map((quarters) => quarters / 4),
  { maxLength: 60 },
);
const limits = integer({ min: 1, max: 8 });

/** The moments at which requests after these pauses are accepted. */
function acceptedAt(algorithm: WindowAlgorithm, limit: number, waits: readonly number[]): readonly number[] {
  const window = algorithm(limit, SECONDS);
  const accepted: number[] = [];
  let now = START;
  for (const wait of waits) {
    now += wait;
    if (window.remaining(now) > 0) {
      window.count(now);
      accepted.push(now);
    } else {
      window.countRefused?.(now);
    }
  }
  return accepted;
}

const ALGORITHMS: Readonly<Record<string, WindowAlgorithm>> = {
  aligned: alignedWindow(0),
  'aligned with a phase': alignedWindow(17.25),
  'sliding log': slidingLog({ resetsWith: 'newest' }),
  'sliding log that resets with its oldest': slidingLog({ resetsWith: 'oldest' }),
  'sliding log that counts refused requests': slidingLog({ resetsWith: 'newest', countsRefused: true }),
  'sliding counter': slidingCounter(0),
  'sliding counter with a phase': slidingCounter(17.3),
  'sliding segments': slidingSegments(4),
  'renewed by refused requests': windowRenewedByRefused,
};

describe.each(Object.entries(ALGORITHMS))('%s window', (_name, algorithm) => {
  it('accepts exactly the limit at once', () => {
    assert(
      property(limits, (limit) => {
        const moments = Array.from({ length: limit + 3 }, () => 0);
        expect(acceptedAt(algorithm, limit, moments)).toHaveLength(limit);
      }),
    );
  });

  it('accepts a request when it says to come back, and not a second before', () => {
    assert(
      property(limits, pauses, (limit, waits) => {
        const window = algorithm(limit, SECONDS);
        let now = START;
        for (const wait of waits) {
          now += wait;
          if (window.remaining(now) > 0) {
            window.count(now);
          }
        }
        while (window.remaining(now) > 0) {
          window.count(now);
        }
        const opensAt = window.opensAt(now);
        expect(opensAt).toBeGreaterThan(now);
        expect(window.remaining(Math.max(now, opensAt - 0.01))).toBeLessThanOrEqual(0);
        expect(window.remaining(opensAt)).toBeGreaterThan(0);
      }),
    );
  });

  it('resets within the length of the window', () => {
    assert(
      property(limits, pauses, (limit, waits) => {
        const window = algorithm(limit, SECONDS);
        let now = START;
        for (const wait of waits) {
          now += wait;
          if (window.remaining(now) > 0) {
            window.count(now);
          }
          expect(window.resetsAt(now)).toBeGreaterThan(now);
          expect(window.resetsAt(now)).toBeLessThanOrEqual(now + SECONDS);
        }
      }),
    );
  });

  it('takes back the last request', () => {
    assert(
      property(limits, (limit) => {
        const window = algorithm(limit, SECONDS);
        window.count(START);
        window.giveBack();
        expect(window.remaining(START)).toBe(limit);
      }),
    );
  });

  it('counts requests made earlier', () => {
    const window = algorithm(10, SECONDS);
    window.countEarlier(8, START);
    expect(window.remaining(START)).toBe(2);
  });
});

describe('aligned window', () => {
  it('never accepts more than the limit from one whole minute to the next', () => {
    assert(
      property(limits, pauses, (limit, waits) => {
        const accepted = acceptedAt(alignedWindow(0), limit, waits);
        const perMinute = Map.groupBy(accepted, (moment) => Math.floor(moment / SECONDS));
        for (const moments of perMinute.values()) {
          expect(moments.length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });
});

describe('sliding log', () => {
  const log = slidingLog({ resetsWith: 'newest' });

  it('accepts a request just if fewer than the limit were accepted in the minute before', () => {
    assert(
      property(limits, pauses, (limit, waits) => {
        const expected: number[] = [];
        let now = START;
        for (const wait of waits) {
          now += wait;
          if (expected.filter((moment) => moment > now - SECONDS).length < limit) {
            expected.push(now);
          }
        }
        expect(acceptedAt(log, limit, waits)).toEqual(expected);
      }),
    );
  });

  it('lets nobody in who goes on, if refused requests count', () => {
    const counting = slidingLog({ resetsWith: 'newest', countsRefused: true });
    const everyTenSeconds = [0, 0, ...Array.from({ length: 20 }, () => 10)];
    expect(acceptedAt(counting, 2, everyTenSeconds)).toEqual([START, START]);
    expect(acceptedAt(log, 2, everyTenSeconds).length).toBeGreaterThan(2);
  });
});

it('begins anew with each request that it refuses, if it is renewed by those', () => {
  const waits = [0, 0, 50, 50, 50, 60];
  expect(acceptedAt(windowRenewedByRefused, 2, waits)).toEqual([START, START, START + 210]);
  expect(acceptedAt(windowRenewedByRefused, 2, [0, 0, 59, 1])).toEqual([START, START]);
});

describe('sliding counter', () => {
  it('weighs the minute before by the part that is still covered', () => {
    const window = slidingCounter(0)(60, SECONDS);
    for (let sent = 0; sent < 60; sent += 1) {
      window.count(600);
    }
    expect(window.remaining(660)).toBe(0);
    expect(window.remaining(675)).toBe(15);
    expect(window.remaining(690)).toBe(30);
    expect(window.remaining(720)).toBe(60);
  });
});
