import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { VARIANTS } from '../../../reference-server/index.ts';
import type { TrialResult } from '../../../reports/index.ts';
import { judgeOpenAgain, shrinkTrial } from './judge-again.ts';
import type { Trial } from './trials.ts';

const VERDICTS = { clean: 'conformant', accused: 'nonconformant', undecided: 'inconclusive' } as const;

/** What came of a server without a fault, in as few words as a result has. */
function conformantResult({ variants }: Trial, outcome: keyof typeof VERDICTS): TrialResult {
  return {
    variants: variants.map(({ id, title }) => ({ id, title })),
    fault: null,
    profile: 'full',
    outcome,
    caughtBy: [],
    shownBy: [],
    observed: null,
    shrunkTo: null,
    verdict: VERDICTS[outcome],
    failed: [],
    first: null,
    undeclared: [],
    undecided: [],
    requests: 0,
    durationSeconds: 0,
  };
}

const OUTCOMES = ['undecided', 'clean', 'accused', 'missed', 'elsewhere', 'caught'] as const;
const TRIALS = OUTCOMES.map((outcome, index): readonly [Trial, typeof outcome] => [
  { variants: VARIANTS.slice(index, index + 1), fault: null },
  outcome,
]);
const JUDGED = TRIALS.map(([trial, outcome]) => ({
  trial,
  result: Object.assign(conformantResult(trial, 'clean'), { outcome }),
}));

test.each(['clean', 'accused', 'undecided'] as const)(
  'what was left open is judged again, once and alone, and is %s then; all else stands',
  async (outcome) => {
    const again: Trial[] = [];
    let underWay = 0;
    const settled = await judgeOpenAgain(JUDGED, async (trial) => {
      underWay += 1;
      expect(underWay).toBe(1);
      again.push(trial);
      await Promise.resolve();
      underWay -= 1;
      return conformantResult(trial, outcome);
    });
    expect(settled.map(({ trial }) => trial)).toEqual(TRIALS.map(([trial]) => trial));
    const outcomes = settled.map(({ result }) => result.outcome);
    expect(outcomes).toEqual([outcome, 'clean', 'accused', outcome, outcome, 'caught']);
    expect(again).toEqual([0, 3, 4].map((index) => TRIALS[index]?.[0]));
  },
);

test('what cannot show is not judged again', async () => {
  const settled = await judgeOpenAgain(
    JUDGED,
    async (trial) => conformantResult(trial, 'accused'),
    () => false,
  );
  expect(settled).toEqual(JUDGED);
});

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
