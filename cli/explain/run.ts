import type { CommandCall } from '../shared/options/command.ts';
import {
  AREAS,
  findRequirement,
  REQUIREMENTS,
  type Area,
  type Requirement,
  type RequirementId,
} from '../../contract/requirements/index.ts';
import { acceptedForms, mayJudge, type Check, CHECKS } from '../../suites/verify/index.ts';
import { didYouMean } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { HISTORY_MONITORS, type Monitor, MONITORS } from '../../suites/oracle/index.ts';
import { SCENARIOS, CLIENT_JUDGES, HERD_JUDGE } from '../../suites/certify/index.ts';
import { wantsColor } from '../shared/output/text-output.ts';
import { PLAN_LIMITS } from '../../contract/plans.ts';
import { countText, type Style, styleFor } from '../../reports/index.ts';
import { requestsOf, type KeyNeed } from '../../suites/target/index.ts';

/**
 * Prints the register, or what an id names: a requirement, a check, a monitor or an area, or several of them if
 * they share it. Returns the exit code.
 * @throws {ConfigurationError} if the id names nothing
 */
export async function runExplain({ operands: [id], flags }: CommandCall): Promise<number> {
  const color = wantsColor(process.stdout, process.env);
  const words = (): string => (id === undefined ? renderRegister(color) : renderId(id, color));
  process.stdout.write(flags['json'] === true ? registerJson(id ?? null) : words());
  return 0;
}

/** The whole register by area, one line per row. */
export function renderRegister(color: boolean): string {
  const paint = styleFor(color);
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
  const paint = styleFor(color);
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
    const known = [...idsOf([...REQUIREMENTS, ...CHECKS, ...ALL_MONITORS]), ...AREAS];
    throw new ConfigurationError(
      `there is no requirement, check or area ${JSON.stringify(id)}.${didYouMean(id, known)} \`stockcheck explain\` lists them.`,
    );
  }
  return parts.map(lines).join('\n');
}

function areaLines(area: Area, paint: Style): readonly string[] {
  const rows = REQUIREMENTS.filter((row) => row.area === area);
  const width = Math.max(...REQUIREMENTS.map(({ id }) => id.length));
  return [
    paint('bold', `${area} (${rows.length})`),
    ...rows.map(
      ({ id, level, since, statement, notChecked }) =>
        `  ${id.padEnd(width)}  ${level.padEnd(7)}  ${since}  ${statement}${notChecked === undefined ? '' : ' (not judged)'}`,
    ),
  ];
}

function requirementLines(row: Requirement, paint: Style): readonly string[] {
  const { checks, monitors, clientJudges, scenarios } = judgesOf(row);
  return [
    `${paint('bold', row.id)} (${row.level})`,
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
      ? [paint('bold', 'how it is checked')]
      : [paint('bold', 'why it is not checked'), `  ${row.notChecked}`]),
    ...checks.flatMap((check) => [
      `  ${paint('cyan', check.id)}: ${check.title}`,
      `    needs ${describeNeeds(check).join('; ')}`,
    ]),
    ...monitors.map(
      ({ id, title }) => `  ${paint('cyan', id)}: ${title} (watches every exchange of every check)`,
    ),
    ...clientJudges.map(({ id, title }) => `  ${paint('cyan', id)}: ${title}`),
    ...scenarios.map(({ id, title }) => `    in scenario ${id}: ${title}`),
  ];
}

function labelled(label: string, texts: readonly string[], paint: Style): readonly string[] {
  return texts.map((text, index) => `${paint('bold', (index === 0 ? label : '').padEnd(9))}${text}`);
}

function checkLines(check: Check, paint: Style): readonly string[] {
  return [
    `${paint('bold', check.id)} (check)`,
    check.title,
    '',
    paint('bold', 'needs'),
    ...describeNeeds(check).map((need) => `  ${need}`),
    '',
    ...judgedLines([...check.judges, ...(check.alsoJudges ?? [])], paint),
  ];
}

function monitorLines(
  { id, title, judges }: Pick<Monitor, 'id' | 'title' | 'judges'>,
  paint: Style,
): readonly string[] {
  return [
    `${paint('bold', id)} (monitor: watches every exchange of every check)`,
    title,
    '',
    ...judgedLines(judges, paint),
  ];
}

function judgedLines(judges: readonly RequirementId[], paint: Style): readonly string[] {
  return [
    paint('bold', 'judges'),
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
    (row) => row === own || row.area === id || registerRow(row).judgedBy.includes(id),
  );
}

/** What judges a requirement, and the scenarios in which clients meet it. */
function judgesOf({ id }: Requirement) {
  const judgesIt = ({ judges }: { readonly judges: readonly RequirementId[] }): boolean =>
    judges.includes(id);
  return {
    checks: CHECKS.filter((check) => mayJudge(check, id)),
    monitors: ALL_MONITORS.filter(judgesIt),
    clientJudges: [...CLIENT_JUDGES, HERD_JUDGE].filter(judgesIt),
    scenarios: SCENARIOS.filter(judgesIt),
  };
}

function registerRow(row: Requirement) {
  const { scenarios, ...judges } = judgesOf(row);
  return { ...row, judgedBy: idsOf(Object.values(judges).flat()), scenarios: idsOf(scenarios) };
}

function idsOf(named: readonly { readonly id: string }[]): readonly string[] {
  return named.map(({ id }) => id);
}

const USES = {
  share: 'stays within its limit',
  spare: 'stays within its limit and uses only what the deciding checks leave over',
  exhaust: 'uses up a window',
  ban: 'continues after a 429, which may get the key banned',
} as const;

/** What it takes to run a check, in words. */
function describeNeeds({ needs, takesForms, anonymousRequests = 0 }: Check): readonly string[] {
  const { keys, pets = 0, control = [] } = needs;
  return [
    `profile ${needs.profile}${needs.profile === 'full' ? '' : ' or wider'}`,
    ...[...Map.groupBy(keys, describeKey)].map(([words, group]) =>
      group.length === 1 ? words : `${group.length} keys, each ${words}`,
    ),
    ...(anonymousRequests === 0
      ? []
      : [`at most ${countText(anonymousRequests, 'request')} without a valid key`]),
    ...(pets === 0 ? [] : [`${countText(pets, 'pet')} to write to, restored afterwards`]),
    ...(control.length === 0 ? [] : [`a control URL that offers ${control.join(' and ')}`]),
    ...(needs.revokedKey === true ? ['a revoked key, or a control URL that can revoke one'] : []),
    ...(needs.long === true ? ['--long, since it takes many windows of real time'] : []),
    ...(needs.realTimeOnly === true
      ? ['no control clock: with one, other checks judge the same faster']
      : []),
    ...(takesForms === true ? [`what ${acceptedForms.id} finds out, which runs first`] : []),
    ...(needs.alone === true ? ['to run alone'] : []),
  ];
}

function describeKey(need: KeyNeed): string {
  const plan =
    need.plan === 'any' ? 'a key of any plan' : `${need.plan.startsWith('e') ? 'an' : 'a'} ${need.plan} key`;
  const optional = need.optional === true ? ', if there is one' : '';
  const usedToday = need.usedToday === undefined ? '' : ', issued with most of its day limit used';
  return `${plan}${optional}${usedToday}: ${USES[need.use]}, ${describeRequests(need)}`;
}

function describeRequests(need: KeyNeed): string {
  const limits =
    need.agree ?? (need.plan === 'enterprise' ? null : PLAN_LIMITS[need.plan === 'any' ? 'free' : need.plan]);
  if (typeof need.requests !== 'number' && limits === null) {
    return 'as many requests as its limits require';
  }
  const { rounds = 1 } = need;
  const each = rounds === 1 ? '' : ` in each of ${rounds} windows`;
  return `at most ${countText(requestsOf(need, limits ?? PLAN_LIMITS.free), 'request')}${each}`;
}
