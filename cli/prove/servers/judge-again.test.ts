import { expect, test } from 'vitest';

import { VARIANTS } from '../../../reference-server/index.ts';
import { conformantResult } from './conformant-result.test-data.ts';
import { judgeUndecidedAgain } from './judge-again.ts';
import type { Trial } from './trials.ts';

const OUTCOMES = ['undecided', 'clean', 'accused', 'undecided'] as const;
const TRIALS = OUTCOMES.map((outcome, index): readonly [Trial, typeof outcome] => [
  { variants: VARIANTS.slice(index, index + 1), fault: null },
  outcome,
]);
const JUDGED = TRIALS.map(([trial, outcome]) => ({ trial, result: conformantResult(trial, outcome) }));

test.each(['clean', 'accused', 'undecided'] as const)(
  'what was left undecided is judged again, once and alone, and is %s then; all else stands',
  async (outcome) => {
    const again: Trial[] = [];
    let underWay = 0;
    const settled = await judgeUndecidedAgain(JUDGED, async (trial) => {
      underWay += 1;
      expect(underWay).toBe(1);
      again.push(trial);
      await Promise.resolve();
      underWay -= 1;
      return conformantResult(trial, outcome);
    });
    expect(settled.map(({ trial }) => trial)).toEqual(TRIALS.map(([trial]) => trial));
    expect(settled.map(({ result }) => result.outcome)).toEqual([outcome, 'clean', 'accused', outcome]);
    expect(again).toEqual([TRIALS[0]?.[0], TRIALS[3]?.[0]]);
  },
);
