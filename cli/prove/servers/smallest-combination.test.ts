import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { TrialResult } from '../../../reports/index.ts';
import { VARIANTS } from '../../../reference-server/index.ts';
import { shrinkTrial } from './smallest-combination.ts';
import type { Trial } from './trials.ts';

function resultOf({ variants }: Trial, isWrong: boolean): TrialResult {
  return {
    variants: variants.map(({ id, title }) => ({ id, title })),
    fault: null,
    profile: 'full',
    outcome: isWrong ? 'accused' : 'clean',
    caughtBy: [],
    shownBy: [],
    observed: null,
    shrunkTo: null,
    verdict: isWrong ? 'nonconformant' : 'conformant',
    failed: [],
    first: null,
    undeclared: [],
    undecided: [],
    requests: 0,
    durationSeconds: 0,
  };
}

test('what is left is just what it takes to go wrong', async () => {
  const combination = fc.uniqueArray(fc.constantFrom(...VARIANTS), { minLength: 1, maxLength: 7 });
  const withCulprits = combination.chain((variants) =>
    fc.record({ variants: fc.constant(variants), culprits: fc.subarray(variants) }),
  );
  await fc.assert(
    fc.asyncProperty(withCulprits, async ({ variants, culprits }) => {
      const judge = async (trial: Trial): Promise<TrialResult> =>
        resultOf(
          trial,
          culprits.every((culprit) => trial.variants.includes(culprit)),
        );
      const trial = { variants, fault: null };
      const { result, repeats } = await shrinkTrial(trial, resultOf(trial, true), [], judge);
      expect(repeats).toBe(true);
      expect(result.variants.map(({ id }) => id)).toEqual(culprits.map(({ id }) => id));
    }),
  );
});

test('what goes wrong only once is marked so, and stays whole', async () => {
  const trial = { variants: VARIANTS.slice(0, 3), fault: null };
  const first = resultOf(trial, true);
  const shrunk = await shrinkTrial(trial, first, [], async (other) => resultOf(other, false));
  expect(shrunk).toEqual({ result: first, repeats: false });
});
