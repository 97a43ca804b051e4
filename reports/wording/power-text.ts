import type { PowerOfRequirement, Report, ReportedPower } from '../model/report.ts';

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
  const open = openRows(power, kind);
  const rest = open.length === 0 || withinReach === 0 ? '' : `; out of its reach: ${open.join(', ')}`;
  return `This run could have caught ${withinReach} of ${known} ${KNOWN[kind]}${rest}`;
}

function openRows({ byArea, byRequirement }: ReportedPower, kind: Report['kind']): readonly string[] {
  return kind === 'certify' && byRequirement !== undefined
    ? byRequirement.flatMap((row) => openOf(row, `of ${row.requirement}`))
    : byArea.flatMap((row) => openOf(row, `in ${row.area}`));
}

function openOf(
  { known, withinReach }: Pick<ReportedPower, 'known' | 'withinReach'>,
  name: string,
): readonly string[] {
  return withinReach < known ? [`${known - withinReach} ${name}`] : [];
}

/** Such as `This run could have caught 8 of the 13 known faults that break it; 4 more take a control URL; 1 more takes further checks`. */
export function powerOfRequirementText({ known, withinReach, needControl = 0 }: PowerOfRequirement): string {
  const faults = known === 1 ? 'the known fault that breaks it' : `the ${known} known faults that break it`;
  const needChecks = known - withinReach - needControl;
  const rest = [
    ...(needControl > 0 ? [`${needControl} more ${needControl === 1 ? 'takes' : 'take'} a control URL`] : []),
    ...(needChecks > 0 ? [`${needChecks} more ${needChecks === 1 ? 'takes' : 'take'} further checks`] : []),
  ];
  const start =
    withinReach === known
      ? `This run could have caught ${known > 1 ? 'all of ' : ''}${faults}`
      : `This run could have caught ${withinReach} of ${faults}`;
  return [start, ...rest].join('; ');
}
