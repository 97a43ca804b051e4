import type { Report, ReportedPower } from '../model/report.ts';

/** What the faults are called whose number is said. */
const KNOWN: Readonly<Record<Report['kind'], string>> = {
  verify: 'known faults',
  certify: 'known faults of clients',
  load: 'known faults that show only under load',
};

/** Such as `This run could have caught 361 of 441 known faults; out of its reach: 60 in limits, 20 in ban`. */
export function powerText(power: ReportedPower, kind: Report['kind']): string {
  const { known, withinReach } = power;
  if (kind === 'load' && withinReach === 0) {
    return `This run only measured: the ${known} ${KNOWN[kind]} need other scenarios, more connections or more time`;
  }
  const open = openRows(power);
  const rest = open.length === 0 || withinReach === 0 ? '' : `; out of its reach: ${open.join(', ')}`;
  return `This run could have caught ${withinReach} of ${known} ${KNOWN[kind]}${rest}`;
}

function openRows({ byArea, byRequirement }: ReportedPower): readonly string[] {
  const rows =
    byRequirement?.map(({ requirement, ...counts }) => ({ ...counts, name: `of ${requirement}` })) ??
    byArea.map(({ area, ...counts }) => ({ ...counts, name: `in ${area}` }));
  return rows
    .filter(({ known, withinReach }) => withinReach < known)
    .map(({ known, withinReach, name }) => `${known - withinReach} ${name}`);
}
