import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { FAULTS, VARIANTS } from '../../../reference-server/index.ts';
import { isPossible } from '../../library/catalogue.ts';
import {
  combinedTrials,
  drawTrials,
  singleTrials,
  smallerTrials,
  trialNames,
  type TrialNames,
} from './trials.ts';

const ALL = { faults: FAULTS, variants: VARIANTS, underlying: [] };
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

function drawNames(seed: number): readonly TrialNames[] {
  return drawTrials(ALL, 40, seed).map(trialNames);
}

describe('combinations that are drawn', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(drawNames(7)).toEqual(drawNames(7));
    expect(drawNames(7)).not.toEqual(drawNames(8));
  });

  test('are possible, hold no slow variant, and take what underlies', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...VARIANTS), (seed, variant) => {
        const trials = drawTrials({ ...ALL, underlying: [variant] }, 10, seed);
        expect(trials).toHaveLength(10);
        for (const trial of trials) {
          expect(trial.variants[0]).toBe(variant);
          expect(trial.variants.slice(1).some(({ isSlow }) => isSlow === true)).toBe(false);
          expect(isPossible(trial)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('hold servers with a fault and servers without', () => {
    const trials = drawTrials(ALL, 300, 1);
    const faulty = trials.filter(({ fault }) => fault !== null);
    expect(faulty.length).toBeGreaterThan(150);
    expect(faulty.length).toBeLessThan(290);
  });
});

test('alone: each variant and each fault once', () => {
  const names = singleTrials(ALL).map(trialNames);
  expect(names).toHaveLength(VARIANTS.length + FAULTS.length);
});

test('together: each variant in one server of a few, slow ones alone, and each fault alone', () => {
  fc.assert(
    fc.property(fc.subarray([...VARIANTS]), fc.option(fc.constantFrom(...VARIANTS)), (variants, under) => {
      const underlying = under === null ? [] : [under];
      const trials = combinedTrials({ faults: FAULTS, variants, underlying });
      const conformant = trials.filter(({ fault }) => fault === null);
      const taken = conformant.map((trial) => trial.variants.slice(underlying.length));
      const free = variants.filter(({ freedom }) => freedom !== under?.freedom);
      expect(new Set(taken.flat())).toEqual(new Set(free));
      expect(taken.flat()).toHaveLength(free.length);
      expect(taken.filter((some) => some.length > 1 && some.some(({ isSlow }) => isSlow === true))).toEqual(
        [],
      );
      expect(trials.every(isPossible)).toBe(true);
      const faults = singleTrials({ faults: FAULTS, variants: [], underlying });
      expect(trials.slice(conformant.length)).toEqual(faults);
    }),
    { numRuns: 50 },
  );
  expect(combinedTrials({ ...ALL, faults: [] }).length).toBeLessThan(VARIANTS.length / 4);
});

test('smaller by one: never without what underlies', () => {
  const [first, second, third] = VARIANTS;
  if (first === undefined || second === undefined || third === undefined) {
    throw new Error('The catalogue has fewer than three variants');
  }
  const trial = { variants: [first, second, third], fault: null };
  expect(smallerTrials(trial, [second]).map(({ variants }) => variants)).toEqual([
    [second, third],
    [first, second],
  ]);
});
