import type { TrialResult } from '../../../reports/index.ts';
import type { Trial } from './trials.ts';

/** A trial, and what came of it. */
export interface JudgedTrial {
  readonly trial: Trial;
  readonly result: TrialResult;
}

/**
 * Judges once more, one at a time, each conformant server that was left undecided: on a busy machine requests may take so
 * long that a window ends among them. What is found then stands.
 */
export async function judgeUndecidedAgain(
  judged: readonly JudgedTrial[],
  judge: (trial: Trial) => Promise<TrialResult>,
): Promise<readonly JudgedTrial[]> {
  const settled: JudgedTrial[] = [];
  for (const { trial, result } of judged) {
    settled.push({ trial, result: result.outcome === 'undecided' ? await judge(trial) : result });
  }
  return settled;
}
