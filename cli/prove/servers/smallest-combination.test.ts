import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { TrialResult } from '../../../reports/index.ts';
import { VARIANTS } from '../../../reference-server/index.ts';
import { conformantResult } from './conformant-result.test-data.ts';
import { shrinkTrial } from './smallest-combination.ts';
import type { Trial } from './trials.ts';

test('what is left is just what it takes to go wrong', async () => {
  const combination = fc.uniqueArray(fc.constantFrom(...VARIANTS), { minLength: 1, maxLength: 7 });
  const withCulprits = combination.chain((variants) =>
    fc.record({ variants: fc.constant(variants), culprits: fc.subarray(variants) }),
  );
  await fc.assert(
    fc.asyncProperty(withCulprits, async ({ variants, culprits }) => {
      const judge = async (trial: Trial): Promise<TrialResult> =>
        conformantResult(
          trial,
          culprits.every((culprit) => trial.variants.includes(culprit)) ? 'accused' : 'clean',
        );
      const trial = { variants, fault: null };
      const { result, repeats } = await shrinkTrial(trial, conformantResult(trial, 'accused'), [], judge);
      expect(repeats).toBe(true);
      expect(result.variants.map(({ id }) => id)).toEqual(culprits.map(({ id }) => id));
    }),
  );
});

test('what goes wrong only once is marked so, and stays whole', async () => {
  const trial = { variants: VARIANTS.slice(0, 3), fault: null };
  const first = conformantResult(trial, 'accused');
  const shrunk = await shrinkTrial(trial, first, [], async (other) => conformantResult(other, 'clean'));
  expect(shrunk).toEqual({ result: first, repeats: false });
});
