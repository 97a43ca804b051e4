import { isWrong, type ShrunkTrial, type TrialOutcome, type TrialResult } from '../../../reports/index.ts';
import type { Variant } from '../../../reference-server/index.ts';
import { smallerTrials, type Trial } from './trials.ts';

/** A trial, and what came of it. */
export interface JudgedTrial {
  readonly trial: Trial;
  readonly result: TrialResult;
}

const OPEN: ReadonlySet<TrialOutcome> = new Set(['undecided', 'elsewhere', 'missed']);

/**
 * Judges once more, one at a time, each conformant server that was left undecided, and each fault that was not caught. On a
 * busy machine a window may end among requests, and requests overlap that else follow one another. The second result stands,
 * and so does at once that a conformant server was accused.
 * @param mayShow what it leaves out takes time for nothing
 */
export async function judgeOpenAgain(
  judged: readonly JudgedTrial[],
  judge: (trial: Trial) => Promise<TrialResult>,
  mayShow: (trial: Trial) => boolean = () => true,
): Promise<readonly JudgedTrial[]> {
  const settled: JudgedTrial[] = [];
  for (const { trial, result } of judged) {
    const isOpen = OPEN.has(result.outcome) && mayShow(trial);
    settled.push({ trial, result: isOpen ? await judge(trial) : result });
  }
  return settled;
}

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
