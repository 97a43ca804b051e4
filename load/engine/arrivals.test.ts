import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { seededRandom } from '../../contract/seeded-random.ts';
import { arrivals, expectedRequests, totalSeconds, type ArrivalProcess, type RateStage } from './arrivals.ts';

const rate = fc.oneof(fc.constant(0), fc.double({ min: 0.1, max: 2_000, noNaN: true }));
const stage: fc.Arbitrary<RateStage> = fc.record({
  from: rate,
  to: rate,
  seconds: fc.double({ min: 0.05, max: 3, noNaN: true }),
});
const someStages = fc.array(stage, { minLength: 1, maxLength: 4 });
const process = fc.constantFrom<ArrivalProcess>('constant', 'poisson');

function momentsOf(stages: readonly RateStage[], process: ArrivalProcess, seed = 1): readonly number[] {
  return [...arrivals(stages, process, seededRandom(seed))];
}

/** The rate summed up until a moment in milliseconds, by its definition: straight lines one after the other. */
function integral(stages: readonly RateStage[], moment: number): number {
  let sum = 0;
  let begins = 0;
  for (const { from, to, seconds } of stages) {
    const passed = Math.min(seconds, Math.max(0, moment / 1000 - begins));
    const reached = from + ((to - from) * passed) / seconds;
    sum += ((from + reached) / 2) * passed;
    begins += seconds;
  }
  return sum;
}

test('moments ascend, and lie within the stages', () => {
  fc.assert(
    fc.property(someStages, process, fc.nat(), (stages, process, seed) => {
      const moments = momentsOf(stages, process, seed);
      const end = totalSeconds(stages) * 1000;
      expect(moments.filter((moment) => !(moment >= 0 && moment <= end * (1 + 1e-12)))).toEqual([]);
      expect(moments.filter((moment, index) => moment < (moments[index - 1] ?? 0))).toEqual([]);
    }),
  );
});

test('evenly, as many are due as the rate sums up to, within one, each when it has reached a half more', () => {
  fc.assert(
    fc.property(someStages, (stages) => {
      const moments = momentsOf(stages, 'constant');
      const whole = integral(stages, totalSeconds(stages) * 1000);
      expect(expectedRequests(stages)).toBeCloseTo(whole, 6);
      expect(Math.abs(moments.length - whole)).toBeLessThanOrEqual(0.5 + 1e-6);
      moments.forEach((moment, index) => expect(integral(stages, moment)).toBeCloseTo(index + 0.5, 5));
    }),
  );
});

describe('at random', () => {
  test.each([1, 2])('like many independent users: seed %i', (seed) => {
    const seconds = 2_000;
    const perSecond = 50;
    const moments = momentsOf([{ from: perSecond, to: perSecond, seconds }], 'poisson', seed);
    const counts = Array.from({ length: seconds }, () => 0);
    for (const moment of moments) {
      const second = Math.floor(moment / 1000);
      counts[second] = (counts[second] ?? 0) + 1;
    }
    const mean = moments.length / seconds;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (seconds - 1);
    // Five standard errors: of a mean of 100,000, and of a variance over 2,000 seconds.
    expect(Math.abs(mean - perSecond)).toBeLessThan(5 * Math.sqrt(perSecond / seconds));
    expect(Math.abs(variance / mean - 1)).toBeLessThan(5 * Math.sqrt(2 / seconds));
    // Distances are memoryless: a share of 1/e is longer than the mean one.
    const longer = moments.filter((moment, index) => moment - (moments[index - 1] ?? 0) > 1000 / perSecond);
    expect(longer.length / moments.length).toBeCloseTo(Math.exp(-1), 2);
  });

  test('a ramp has a quarter of its requests in its first half', () => {
    const moments = momentsOf([{ from: 0, to: 1_000, seconds: 100 }], 'poisson', 3);
    const share = moments.filter((moment) => moment < 50_000).length / moments.length;
    expect(share).toBeCloseTo(0.25, 1);
  });
});

test('the same seed gives the same moments, another one others', () => {
  const stages = [{ from: 100, to: 300, seconds: 2 }];
  expect(momentsOf(stages, 'poisson', 7)).toEqual(momentsOf(stages, 'poisson', 7));
  expect(momentsOf(stages, 'poisson', 7)).not.toEqual(momentsOf(stages, 'poisson', 8));
});
