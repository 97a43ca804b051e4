import type { Accusation } from '../blame.ts';
import type { CommonPhases } from '../key-limits.ts';

/** What nothing but a sliding counter explains. All keys of a target have the same, so another key may rule it out later. */
export interface OnlyCounters {
  /** @param accusations what is to be said once no counter explains it */
  note(window: keyof CommonPhases, accusations: readonly Accusation[]): void;
  /** @returns all that no counter explains any more, once */
  settle(): readonly Accusation[];
}

// The first ones tell enough.
const MOST_OPEN = 60;

export function followOnlyCounters(phases: CommonPhases): OnlyCounters {
  let open: {
    readonly window: keyof CommonPhases;
    /** The phases that explain it. */
    readonly cells: ReadonlySet<number>;
    readonly accusations: readonly Accusation[];
  }[] = [];
  const isExplained = ({ window, cells }: (typeof open)[number]): boolean =>
    phases[window].cells.some((cell) => cells.has(cell));
  return {
    note: (window, accusations) => {
      if (open.length < MOST_OPEN) {
        open.push({ window, cells: new Set(phases[window].cells), accusations });
      }
    },
    settle: () => {
      if (open.length === 0) {
        return [];
      }
      const settled = open.filter((one) => !isExplained(one));
      open = open.filter((one) => !settled.includes(one));
      return settled.flatMap(({ accusations }) => accusations);
    },
  };
}
