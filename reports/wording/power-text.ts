import type { ReportedPower } from '../model/report.ts';

/** Such as `This run could have caught 361 of 441 known faults; out of its reach: 60 in limits, 20 in ban`. */
export function powerText({ known, withinReach, byArea }: ReportedPower, kind: 'verify' | 'load'): string {
  const open = byArea
    .filter((row) => row.withinReach < row.known)
    .map((row) => `${row.known - row.withinReach} in ${row.area}`);
  const rest = open.length === 0 || withinReach === 0 ? '' : `; out of its reach: ${open.join(', ')}`;
  return `This run could have caught ${withinReach} of ${known} known faults${kind === 'load' ? ' that show only under load' : ''}${rest}`;
}
