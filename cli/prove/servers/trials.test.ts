import { expect, test } from 'vitest';
import * as fc from 'fast-check';

import { FAULTS, VARIANTS } from '../../../reference-server/index.ts';
import { isPossible } from '../../library/catalogue.ts';
import { combinedTrials, singleTrials, trialNames, judgeOpenAgain, type Trial } from './trials.ts';
import type { TrialResult } from '../../../reports/index.ts';
import { CAUGHT_TRIAL } from '../../../reports/model/sample-kill-matrix.test-data.ts';

const ALL = { faults: FAULTS, variants: VARIANTS, underlying: [] };
test('alone: each variant and each fault once', () => {
  const names = singleTrials(ALL).map(trialNames);
  expect(names).toHaveLength(VARIANTS.length + FAULTS.length);
});

test('together: each variant in one server of a few, and each fault alone', () => {
  fc.assert(
    fc.property(fc.subarray([...VARIANTS]), fc.option(fc.constantFrom(...VARIANTS)), (variants, under) => {
      const underlying = under === null ? [] : [under];
      const trials = combinedTrials({ faults: FAULTS, variants, underlying });
      const conformant = trials.filter(({ fault }) => fault === null);
      const taken = conformant.map((trial) => trial.variants.slice(underlying.length));
      const free = variants.filter(({ freedom }) => freedom !== under?.freedom);
      expect(new Set(taken.flat())).toEqual(new Set(free));
      expect(taken.flat()).toHaveLength(free.length);
      expect(trials.every(isPossible)).toBe(true);
      const faults = singleTrials({ faults: FAULTS, variants: [], underlying });
      expect(trials.slice(conformant.length)).toEqual(faults);
    }),
    { numRuns: 50 },
  );
  expect(combinedTrials({ ...ALL, faults: [] }).length).toBeLessThan(VARIANTS.length / 4);
});

const VERDICTS = { clean: 'conformant', accused: 'nonconformant', undecided: 'inconclusive' } as const;

/** What came of a server without a fault. */
function conformantResult({ variants }: Trial, outcome: keyof typeof VERDICTS): TrialResult {
  return {
    ...CAUGHT_TRIAL,
    variants: variants.map(({ id, title }) => ({ id, title })),
    fault: null,
    outcome,
    verdict: VERDICTS[outcome],
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
