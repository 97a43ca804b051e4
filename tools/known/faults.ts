import type { KnownFault } from '../../cli/library/verify/power.ts';
import type { KillMatrix } from '../../reports/index.ts';

/**
 * The faults of the catalogue with the checks that show them. A matrix replaces what was known of its own source: the checks
 * with control, the checks in real time, or the exploration. Faults that left the catalogue are left out.
 */
export function mergeKnownFaults(
  before: Readonly<Record<string, KnownFault>>,
  matrices: readonly Pick<KillMatrix, 'trials' | 'realTimeKeys' | 'by'>[],
  catalogue: readonly { readonly id: string; readonly breaks: string }[],
): Readonly<Record<string, KnownFault>> {
  const rows = catalogue.flatMap(({ id, breaks }) => {
    const known = before[id];
    let row = known === undefined ? null : { ...known, breaks };
    for (const matrix of matrices) {
      for (const { fault, shownBy } of matrix.trials) {
        if (fault?.id === id) {
          row = entered(row ?? { breaks, withControl: [], withoutControl: [] }, matrix, shownBy);
        }
      }
    }
    return row === null ? [] : [[id, row] as const];
  });
  return Object.fromEntries(rows.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function entered(
  row: KnownFault,
  { realTimeKeys, by }: Pick<KillMatrix, 'realTimeKeys' | 'by'>,
  shownBy: readonly string[],
): KnownFault {
  if (realTimeKeys !== null) {
    return { ...row, withoutControl: shownBy };
  }
  const isReplaced = (check: string): boolean => by.includes(check === 'explore' ? 'explore' : 'checks');
  const kept = row.withControl.filter((check) => !isReplaced(check));
  return { ...row, withControl: [...new Set([...kept, ...shownBy])].toSorted() };
}
