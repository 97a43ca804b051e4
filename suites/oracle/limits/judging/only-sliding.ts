import type { Accusation } from '../../history-monitor.ts';

// The first ones tell enough.
const MOST_OPEN = 60;

/** Keeps what nothing but a sliding window explains. Later answers, of this key or another, may rule that out, too. */
export function followOnlySliding() {
  let open: { readonly isExplained: () => boolean; readonly accusation: Accusation }[] = [];
  return {
    /**
     * @param isExplained whether a sliding window still explains it
     * @param accusation what is to be said once none does
     */
    note: (isExplained: () => boolean, accusation: Accusation): void => {
      if (open.length < MOST_OPEN) {
        open.push({ isExplained, accusation });
      }
    },
    /** @returns all that no sliding window explains any more, once */
    settle: (): readonly Accusation[] => {
      if (open.length === 0) {
        return [];
      }
      const settled = open.filter(({ isExplained }) => !isExplained());
      open = open.filter((one) => !settled.includes(one));
      return settled.map(({ accusation }) => accusation);
    },
  };
}
