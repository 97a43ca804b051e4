import type { Judgements } from './judgements.ts';

/** What one check says, kept back until it is known whether it was disturbed. */
export interface ProvisionalJudgements {
  readonly record: Pick<Judgements, 'pass' | 'fail' | 'inconclusive' | 'skip' | 'observe'>;
  /** Whether something failed, was left open, or was observed, which a lost response may have altered. */
  readonly isDoubtful: () => boolean;
  /** Passes it all on. @returns whether that was the first time */
  readonly commit: () => boolean;
}

/** Without `commit` nothing of it reaches `judgements`. */
export function judgeProvisionally(judgements: Judgements): ProvisionalJudgements {
  const kept: (() => void)[] = [];
  let isDoubtful = false;
  let isCommitted = false;
  return {
    record: {
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
    },
    isDoubtful: () => isDoubtful,
    commit: () => {
      const isFirst = !isCommitted;
      isCommitted = true;
      for (const pass of kept.splice(0)) {
        pass();
      }
      return isFirst;
    },
  };
}
