import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { seededRandom } from '../contract/seeded-random.ts';
import { createServiceQueue } from './service-queue.ts';

/** Waits of requests at these moments, each of the same service time; `null` for those that were dropped. */
function waitsOf(
  moments: readonly number[],
  serviceSeconds: number,
  service: { readonly workers: number; readonly queue: number | null },
): readonly (number | null)[] {
  const line = createServiceQueue(service);
  return moments.map((now) => {
    const begun = line.begin(now);
    if (begun === null) {
      return null;
    }
    line.finish(begun, serviceSeconds);
    return begun - now;
  });
}

function poisson(rate: number, count: number, seed: number): readonly number[] {
  const random = seededRandom(seed);
  let now = 0;
  return Array.from({ length: count }, () => {
    now -= Math.log(1 - random()) / rate;
    return now;
  });
}

test('M/D/1: the mean wait is that of Pollaczek and Khinchine', () => {
  for (const load of [0.3, 0.5, 0.7]) {
    const waits = waitsOf(poisson(load, 60_000, 5), 1, { workers: 1, queue: null });
    const mean = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0) / waits.length;
    const expected = load / (2 * (1 - load));
    expect(Math.abs(mean / expected - 1)).toBeLessThan(0.05);
  }
});

test('D/D/c: a burst is worked off by the workers, c at a time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 200 }), (workers, burst) => {
      const waits = waitsOf(
        Array.from({ length: burst }, () => 3),
        0.5,
        { workers, queue: null },
      );
      expect(waits).toEqual(Array.from({ length: burst }, (_, index) => Math.floor(index / workers) * 0.5));
    }),
  );
});

test('requests are begun in the order in which they come, and never more than there are workers', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          gap: fc.double({ min: 0, max: 1, noNaN: true }),
          work: fc.double({ min: 0, max: 2, noNaN: true }),
        }),
      ),
      fc.integer({ min: 1, max: 4 }),
      (requests, workers) => {
        const line = createServiceQueue({ workers, queue: null });
        let now = 0;
        const spans = requests.map(({ gap, work }) => {
          now += gap;
          const begun = line.begin(now) ?? Number.NaN;
          return { now, begun, done: line.finish(begun, work) };
        });
        for (const [index, { now: came, begun }] of spans.entries()) {
          expect(begun).toBeGreaterThanOrEqual(came);
          expect(begun).toBeGreaterThanOrEqual(spans[index - 1]?.begun ?? 0);
          const busy = spans.slice(0, index).filter((one) => one.done > begun).length;
          expect(busy).toBeLessThan(workers);
        }
      },
    ),
  );
});

test('what finds the queue full is dropped', () => {
  const waits = waitsOf([0, 0, 0, 0, 0, 1.5], 1, { workers: 1, queue: 2 });
  expect(waits).toEqual([0, 1, 2, null, null, 1.5]);
});
