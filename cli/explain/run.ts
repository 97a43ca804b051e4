import {
  AREAS,
  findRequirement,
  REQUIREMENTS,
  type Area,
  type Requirement,
  type RequirementId,
} from '../../contract/requirements/index.ts';
import { mayJudge, type Check, CHECKS } from '../../suites/verify/index.ts';
import { didYouMean } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { HISTORY_MONITORS, type Monitor, MONITORS } from '../../suites/oracle/index.ts';
import { SCENARIOS, CLIENT_JUDGES, HERD_JUDGE } from '../../suites/certify/index.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { palette, type Palette, wantsColor } from '../shared/output/color.ts';
import { describeNeeds } from './explain-needs.ts';

/**
 * Prints the register, or what an id names: a requirement, a check, a monitor or an area, or several of them if
 * they share it. Returns the exit code.
 * @throws {ConfigurationError} if the id names nothing
 */
export async function runExplain({
  operands: [id],
  flags,
  surroundings: { stdout, environment },
}: CommandCall): Promise<number> {
  const color = wantsColor(stdout, environment);
  const words = (): string => (id === undefined ? renderRegister(color) : renderId(id, color));
  process.stdout.write(flags['json'] === true ? registerJson(id ?? null) : words());
  return 0;
}

/** The whole register by area, one line per row. */
export function renderRegister(color: boolean): string {
  const paint = palette(color);
  const counts = (['must', 'should', 'observe'] as const)
    .map((level) => `${REQUIREMENTS.filter((row) => row.level === level).length} ${level}`)
    .join(', ');
  const unchecked = REQUIREMENTS.filter(({ notChecked }) => notChecked !== undefined).length;
  return lines([
    ...AREAS.flatMap((area) => [...areaLines(area, paint), '']),
    `${REQUIREMENTS.length} requirements (${counts}), ${unchecked} of them not judged.`,
    '`stockcheck explain ID` says more about one requirement, check or area.',
  ]);
}

const ALL_MONITORS = [...MONITORS, ...HISTORY_MONITORS];

/** Everything that an id names. @throws {ConfigurationError} if that is nothing */
export function renderId(id: string, color: boolean): string {
  const paint = palette(color);
  const requirement = findRequirement(id);
  const check = CHECKS.find((candidate) => candidate.id === id);
  const monitor = ALL_MONITORS.find((candidate) => candidate.id === id);
  const area = AREAS.find((candidate) => candidate === id);
  const parts = [
    ...(requirement === undefined ? [] : [requirementLines(requirement, paint)]),
    ...(check === undefined ? [] : [checkLines(check, paint)]),
    ...(monitor === undefined ? [] : [monitorLines(monitor, paint)]),
    ...(area === undefined ? [] : [areaLines(area, paint)]),
  ];
  if (parts.length === 0) {
    const known = [...[...REQUIREMENTS, ...CHECKS, ...ALL_MONITORS].map((named) => named.id), ...AREAS];
    throw new ConfigurationError(
      `there is no requirement, check or area ${JSON.stringify(id)}.${didYouMean(id, known)} \`stockcheck explain\` lists them.`,
    );
  }
  return parts.map(lines).join('\n');
}

function areaLines(area: Area, paint: Palette): readonly string[] {
  const rows = REQUIREMENTS.filter((row) => row.area === area);
  const width = Math.max(...REQUIREMENTS.map(({ id }) => id.length));
  return [
    paint.bold(`${area} (${rows.length})`),
    ...rows.map(
      ({ id, level, since, statement, notChecked }) =>
        `  ${id.padEnd(width)}  ${level.padEnd(7)}  ${since}  ${statement}${notChecked === undefined ? '' : ' (not judged)'}`,
    ),
  ];
}

function requirementLines(row: Requirement, paint: Palette): readonly string[] {
  const checks = CHECKS.filter((check) => mayJudge(check, row.id));
  const monitors = ALL_MONITORS.filter(({ judges }) => judges.includes(row.id));
  const clientJudges = [...CLIENT_JUDGES, HERD_JUDGE].filter(({ judges }) => judges.includes(row.id));
  const scenarios = SCENARIOS.filter(({ judges }) => judges.includes(row.id));
  return [
    `${paint.bold(row.id)} (${row.level})`,
    row.statement,
    '',
    ...labelled('clause', [row.clause], paint),
    ...labelled('quote', row.quotes ?? [], paint),
    ...labelled('basis', row.basis === undefined ? [] : [row.basis], paint),
    ...labelled('area', [row.area], paint),
    ...labelled('since', [`requirement set ${row.since}`], paint),
    ...labelled('reading', row.reading === undefined ? [] : [row.reading], paint),
    ...labelled('depends', row.dependsOn === undefined ? [] : [`on ${row.dependsOn.join(', ')}`], paint),
    '',
    ...(row.notChecked === undefined
      ? [paint.bold('how it is checked')]
      : [paint.bold('why it is not checked'), `  ${row.notChecked}`]),
    ...checks.flatMap((check) => [
      `  ${paint.cyan(check.id)}: ${check.title}`,
      `    needs ${describeNeeds(check).join('; ')}`,
    ]),
    ...monitors.map(
      ({ id, title }) => `  ${paint.cyan(id)}: ${title} (watches every exchange of every check)`,
    ),
    ...clientJudges.map(({ id, title }) => `  ${paint.cyan(id)}: ${title}`),
    ...scenarios.map(({ id, title }) => `    in scenario ${id}: ${title}`),
  ];
}

function labelled(label: string, texts: readonly string[], paint: Palette): readonly string[] {
  return texts.map((text, index) => `${paint.bold((index === 0 ? label : '').padEnd(9))}${text}`);
}

function checkLines(check: Check, paint: Palette): readonly string[] {
  return [
    `${paint.bold(check.id)} (check)`,
    check.title,
    '',
    paint.bold('needs'),
    ...describeNeeds(check).map((need) => `  ${need}`),
    '',
    ...judgedLines([...check.judges, ...(check.alsoJudges ?? [])], paint),
  ];
}

function monitorLines(
  { id, title, judges }: Pick<Monitor, 'id' | 'title' | 'judges'>,
  paint: Palette,
): readonly string[] {
  return [
    `${paint.bold(id)} (monitor: watches every exchange of every check)`,
    title,
    '',
    ...judgedLines(judges, paint),
  ];
}

function judgedLines(judges: readonly RequirementId[], paint: Palette): readonly string[] {
  return [
    paint.bold('judges'),
    ...REQUIREMENTS.filter(({ id }) => judges.includes(id)).map(
      ({ id, level, statement }) => `  ${id} (${level}): ${statement}`,
    ),
  ];
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

/**
 * The register as JSON, or what an id names of it: a requirement, a check, a monitor or an area.
 * @throws {ConfigurationError} if the id names nothing
 */
export function registerJson(id: string | null): string {
  const rows = id === null ? REQUIREMENTS : rowsOf(id);
  const register = { schemaVersion: 1, kind: 'register', requirements: rows.map(registerRow) };
  return `${JSON.stringify(register, null, 2)}\n`;
}

function rowsOf(id: string): readonly Requirement[] {
  // It knows which ids there are, and what to say of another one.
  renderId(id, false);
  const own = findRequirement(id);
  return REQUIREMENTS.filter(
    (row) => row === own || row.area === id || judgesOf(row).some((judge) => judge === id),
  );
}

function judgesOf({ id }: Requirement): readonly string[] {
  return [
    ...CHECKS.filter((check) => mayJudge(check, id)),
    ...ALL_MONITORS.filter(({ judges }) => judges.includes(id)),
    ...[...CLIENT_JUDGES, HERD_JUDGE].filter(({ judges }) => judges.includes(id)),
  ].map((judge) => judge.id);
}

function registerRow(row: Requirement) {
  const scenarios = SCENARIOS.filter(({ judges }) => judges.includes(row.id)).map(({ id }) => id);
  return { ...row, judgedBy: judgesOf(row), scenarios };
}
