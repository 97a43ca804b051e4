import { expect, test } from 'vitest';

import { VARIANTS } from '../../../reference-server/index.ts';
import { conformantResult } from './conformant-result.test-data.ts';
import { judgeOpenAgain } from './judge-again.ts';
import type { Trial } from './trials.ts';

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
