import type { Judgements } from './judgements.ts';

export type ProvisionalJudgements = ReturnType<typeof judgeProvisionally>;

/**
 * Keeps what one check says back until it is known whether it was disturbed. Without `commit` nothing of it reaches
 * `judgements`.
 */
export function judgeProvisionally(judgements: Judgements) {
  const kept: (() => void)[] = [];
  let isDoubtful = false;
  let isCommitted = false;
  const record: Pick<Judgements, 'pass' | 'fail' | 'inconclusive' | 'skip' | 'observe'> = {
    pass: (...args) => kept.push(() => judgements.pass(...args)),
    fail: (...args) => {
      isDoubtful = true;
      kept.push(() => judgements.fail(...args));
    },
    inconclusive: (...args) => {
      isDoubtful = true;
      kept.push(() => judgements.inconclusive(...args));
    },
    skip: (...args) => kept.push(() => judgements.skip(...args)),
    observe: (...args) => {
      isDoubtful = true;
      kept.push(() => judgements.observe(...args));
    },
  };
  return {
    record,
    /** Whether something failed, was left open, or was observed, which a lost response may have altered. */
    isDoubtful: (): boolean => isDoubtful,
    /** Passes it all on. @returns whether that was the first time */
    commit: (): boolean => {
      const isFirst = !isCommitted;
      isCommitted = true;
      for (const pass of kept.splice(0)) {
        pass();
      }
      return isFirst;
    },
  };
}
