import type { Accusation } from '../../history-monitor.ts';

/** What nothing but a sliding window explains. Later answers, of this key or another, may rule that out, too. */
export interface OnlySliding {
  /**
   * @param isExplained whether a sliding window still explains it
   * @param accusation what is to be said once none does
   */
  note(isExplained: () => boolean, accusation: Accusation): void;
  /** @returns all that no sliding window explains any more, once */
  settle(): readonly Accusation[];
}

// The first ones tell enough.
const MOST_OPEN = 60;

export function followOnlySliding(): OnlySliding {
  let open: { readonly isExplained: () => boolean; readonly accusation: Accusation }[] = [];
  return {
    note: (isExplained, accusation) => {
      if (open.length < MOST_OPEN) {
        open.push({ isExplained, accusation });
      }
    },
    settle: () => {
      if (open.length === 0) {
        return [];
      }
      const settled = open.filter(({ isExplained }) => !isExplained());
      open = open.filter((one) => !settled.includes(one));
      return settled.map(({ accusation }) => accusation);
    },
  };
}
