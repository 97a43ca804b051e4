import { findReached, judgeMutant, type MutantJudgement } from './judge-mutant.ts';
import type { MutatedBuild } from './instrument.ts';
import type { Mutant } from './mutant.ts';

export interface JudgingOptions {
  /** How many at a time. */
  readonly jobs: number;
  /** Ends all of it. */
  readonly signal: AbortSignal;
}

export interface JudgedMutant extends MutantJudgement {
  readonly mutant: Mutant;
}

const NOT_REACHED: MutantJudgement = {
  fate: 'not reached',
  profile: null,
  shown: [],
  death: null,
  seconds: 0,
};

/**
 * Judges mutants of a build, several at a time, after the server without any.
 * @param onJudged is told each as it comes
 * @returns what was judged until the signal, if that comes before the end
 * @throws if the server without a mutant is not conformant
 */
export async function judgeMutants(
  { folder }: MutatedBuild,
  mutants: readonly Mutant[],
  { jobs, signal }: JudgingOptions,
  onJudged: (judged: JudgedMutant) => void,
): Promise<readonly JudgedMutant[]> {
  const reached = await findReached(folder, signal);
  const judged: JudgedMutant[] = [];
  const waiting = mutants.values();
  const work = async (): Promise<void> => {
    for (const mutant of waiting) {
      const judgement = reached.has(mutant.id) ? await judgeMutant(folder, mutant.id, signal) : NOT_REACHED;
      if (signal.aborted) {
        return;
      }
      const result = { mutant, ...judgement };
      judged.push(result);
      onJudged(result);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return judged.toSorted((one, other) => Number(one.mutant.id) - Number(other.mutant.id));
}
