import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { fitBackoff, limitedWaits } from './fit-backoff.ts';
import { limited, sampleRecord, type RecordedSample } from './record.test-data.ts';

const fraction = (options: { min: number; max: number }) => fc.double({ noNaN: true, ...options });

const waitsOf = (...exchanges: readonly RecordedSample[]) =>
  limitedWaits(sampleRecord({ exchanges })).map((wait) => Math.round(wait * 1_000) / 1_000);

describe('fitBackoff', () => {
  test('finds the factor of any exponential backoff, and no jitter', () => {
    const base = fraction({ min: 0.2, max: 5 });
    fc.assert(
      fc.property(
        base,
        fraction({ min: 1.3, max: 4 }),
        fc.integer({ min: 3, max: 9 }),
        (base, factor, count) => {
          const fit = fitBackoff(Array.from({ length: count }, (_, index) => base * factor ** index));
          expect(fit.verdict).toBe('growing');
          expect(fit.factor).toBeCloseTo(factor, 6);
          expect(fit.jitter).toBeCloseTo(0, 6);
        },
      ),
    );
  });

  test('calls any waits constant that stay within 50 ms or 4 % of each other', () => {
    const wait = fraction({ min: 0, max: 60 });
    const noise = fc.array(fraction({ min: 0, max: 1 }), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(wait, noise, (wait, noise) => {
        const band = Math.max(0.05, wait * 0.04);
        expect(fitBackoff(noise.map((share) => wait + share * band)).verdict).toBe('constant');
      }),
    );
  });

  test('is not misled by a wait that a busy machine made longer', () => {
    const delayed = fc.record({
      count: fc.integer({ min: 4, max: 20 }),
      at: fc.nat(),
      by: fraction({ min: 0.2, max: 3 }),
    });
    fc.assert(
      fc.property(delayed, ({ count, at, by }) => {
        const waits = Array.from({ length: count }, (_, index) => (index === at % (count - 1) ? 1 + by : 1));
        expect(fitBackoff(waits).verdict).toBe('constant');
      }),
    );
  });

  test('calls nothing constant whose last wait stands out', () => {
    const waits = fc.array(fraction({ min: 0, max: 10 }), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(waits, fraction({ min: 1.6, max: 3 }), (waits, factor) => {
        const last = Math.max(...waits, 0.2) * factor;
        expect(fitBackoff([...waits, last]).verdict).not.toBe('constant');
      }),
    );
  });

  test('lets full jitter on top of Retry-After pass, but for the rare draw that looks constant', () => {
    const draw = fc.noBias(fc.integer({ min: 0, max: 1_000 })).map((thousandths) => thousandths / 1_000);
    const draws = fc.array(draw, { minLength: 5, maxLength: 8 });
    const samples = fc.sample(draws, { numRuns: 500, seed: 7 });
    const constant = samples.filter(
      (draws) => fitBackoff(draws.map((draw, index) => 1 + draw * 0.5 * 2 ** index)).verdict === 'constant',
    );
    expect(constant.length).toBeLessThan(25);
  });

  test.each([
    ['growing', [1, 2, 4, 8]],
    ['growing', [1, 1, 1, 2]],
    ['growing', [1, 2, 3, 4, 5]],
    ['varying', [1.18, 1.38, 1.5, 1.57]],
    ['varying', [1, 1.4, 1.5, 1.52, 1.53]],
    ['varying', [1.9, 1.1, 1.7, 1.2]],
    ['varying', [4, 3, 2, 1]],
    ['constant', [1, 1, 1]],
    ['constant', [0, 0.002, 0.03, 0]],
    ['constant', [10, 10.4, 10.2]],
    // As a busy machine may make waits that grow: 1.2, 1.4, 1.8.
    ['varying', [1.99, 1.82, 1.81]],
    ['varying', [2.47, 2.37, 2.34]],
    ['varying', [1.21, 2.97, 1.08, 1.05]],
    ['too few', [1, 1]],
    ['too few', []],
  ] as const)('calls %s what waits %j', (verdict, waits) => {
    expect(fitBackoff(waits).verdict).toBe(verdict);
  });
});

describe('limitedWaits', () => {
  test('reckons from the answer to the next request, whatever that is answered', () => {
    expect(waitsOf(limited(0, 1, { answeredAt: 0.5 }), limited(2, 1), { at: 6 })).toEqual([1.5, 4]);
    expect(waitsOf(limited(0, 1))).toEqual([]);
    expect(waitsOf({}, { at: 1 })).toEqual([]);
  });

  test('takes the longest run of equal Retry-After', () => {
    expect(waitsOf(limited(0, 1), limited(1, 2), limited(3, 2), limited(6, 1), { at: 8 })).toEqual([2, 3]);
    expect(waitsOf(limited(0, 1), { at: 1 }, limited(2, 1), limited(3.5, 1), { at: 7 })).toEqual([1.5, 3.5]);
  });

  test('leaves out dates and what cannot be read', () => {
    expect(waitsOf({ status: 429, retryAt: 2 }, { status: 429, at: 2, retryAt: 4 }, { at: 4 })).toEqual([]);
    const unreadable = { status: 429, headers: [['Retry-After', 'soon']] as const };
    expect(waitsOf(unreadable, { ...unreadable, at: 1 }, { at: 2 })).toEqual([]);
  });

  test('calls a request that was under way no wait', () => {
    expect(waitsOf(limited(0, 1, { answeredAt: 0.5 }), limited(0.2, 1), { at: 3 })).toEqual([0, 2.8]);
  });
});
