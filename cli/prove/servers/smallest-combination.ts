import { isWrong, type ShrunkTrial, type TrialResult } from '../../../reports/index.ts';
import type { Variant } from '../../../reference-server/index.ts';

import { smallerTrials, type Trial } from './trials.ts';

/**
 * Takes variants away for as long as the trial goes wrong, and returns what is left.
 * @param first what came of the whole trial
 */
export async function shrinkTrial(
  trial: Trial,
  first: TrialResult,
  underlying: readonly Variant[],
  judge: (trial: Trial) => Promise<TrialResult>,
): Promise<ShrunkTrial> {
  const again = await judge(trial);
  if (!isWrong(again)) {
    return { result: first, repeats: false };
  }
  let smallest = { trial, result: again };
  let candidates = smallerTrials(trial, underlying);
  while (candidates.length > 0) {
    const results = await Promise.all(
      candidates.map(async (candidate) => ({ trial: candidate, result: await judge(candidate) })),
    );
    const wrong = results.find(({ result }) => isWrong(result));
    smallest = wrong ?? smallest;
    candidates = wrong === undefined ? [] : smallerTrials(wrong.trial, underlying);
  }
  return { result: smallest.result, repeats: true };
}
