import picomatch from 'picomatch';
import {
  AREAS,
  REQUIREMENTS,
  SERVER_REQUIREMENTS,
  type Requirement,
  type RequirementId,
} from '../../contract/requirements/index.ts';
import { type Check, CHECKS, mayJudge } from '../stimuli/index.ts';
import { didYouMean } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { EXPLORE } from '../../contract/verdict.ts';
import { MONITORS } from '../oracle/index.ts';

/** What is left of the register and of the checks if only a part was asked for. */
export interface Selection {
  /** The options that made it, for the scope of a verdict. */
  readonly words: readonly string[];
  readonly requirement: (id: RequirementId) => boolean;
  readonly check: (check: Check) => boolean;
}

/**
 * Reads globs over ids of requirements, areas, and ids of checks. Requirements are judged as in a whole run: by every
 * check that judges them, and by all checks if a monitor does, since that may show in any exchange. A pattern that
 * matches checks alone stands for these alone, and for what they judge. Beside a check that is named in full,
 * requirements are judged by its exchanges, if it or a monitor judges them. The exploration may show anything, so that
 * `explore` stands for all requirements and for no check.
 * @param named what messages call the option, such as `--only`
 * @returns `null`, everything, if there is no pattern
 * @throws {ConfigurationError} if a pattern matches nothing
 */
export function readSelection(patterns: readonly string[], named: string): Selection | null {
  if (patterns.length === 0) {
    return null;
  }
  const asked = new Set<RequirementId>();
  const alone = new Set<Check>();
  let takesAll = false;
  let namesCheck = false;
  const explores = patterns.includes(EXPLORE);
  for (const pattern of patterns.filter((one) => one !== EXPLORE)) {
    const { rows, checks } = readPattern(pattern, named);
    namesCheck ||= checks.some((check) => pattern === check.id || pattern === nameOfCheck(check));
    for (const { id } of rows) {
      asked.add(id);
    }
    takesAll ||= rows.some(mayShowAnywhere) || (rows.length > 0 && !rows.some(isJudgedByChecks));
    for (const check of checks) {
      alone.add(check);
    }
  }
  const isLeftTo = (check: Check, id: RequirementId): boolean =>
    mayJudge(check, id) && ![...alone].some((other) => mayJudge(other, id));
  const judged = new Set([...asked, ...[...alone].flatMap(({ judges }) => judges)]);
  return {
    words: patterns.map((pattern) => `--only ${pattern}`),
    requirement: (id) => explores || judged.has(id),
    check: (check) =>
      alone.has(check) || (takesAll && !namesCheck) || [...asked].some((id) => isLeftTo(check, id)),
  };
}

/** Whether any exchange of any check may decide it. */
function mayShowAnywhere({ id, level }: Requirement): boolean {
  return level !== 'observe' && MONITORS.some(({ judges }) => judges.includes(id));
}

function isJudgedByChecks({ id }: Requirement): boolean {
  return CHECKS.some((check) => mayJudge(check, id));
}

const CHECKS_ONLY = 'check:';

/** The pattern that stands for one check alone, even if a requirement or an area has the same name. */
export function nameOfCheck({ id }: Pick<Check, 'id'>): string {
  const isTaken = REQUIREMENTS.some((row) => row.id === id || row.area === id);
  return isTaken ? `${CHECKS_ONLY}${id}` : id;
}

/** The requirements that a pattern stands for, or else the checks. */
function readPattern(pattern: string, named: string) {
  const matches = picomatch(pattern.startsWith(CHECKS_ONLY) ? pattern.slice(CHECKS_ONLY.length) : pattern);
  const rows = pattern.startsWith(CHECKS_ONLY)
    ? []
    : REQUIREMENTS.filter(({ id, area }) => matches(id) || matches(area));
  const judged = rows.filter((row) => SERVER_REQUIREMENTS.includes(row));
  if (judged.length > 0) {
    return { rows: judged, checks: [] };
  }
  const checks = CHECKS.filter(({ id }) => matches(id));
  const [unjudged] = rows;
  if (unjudged !== undefined && checks.length === 0) {
    throw new ConfigurationError(
      `${named} ${pattern}: ${unjudged.id} is not judged. ${unjudged.notChecked ?? 'It binds clients, which `stockcheck certify` judges.'}`,
    );
  }
  if (checks.length === 0) {
    const known = [...AREAS, ...REQUIREMENTS.map(({ id }) => id), ...CHECKS.map(({ id }) => id)];
    const advice = pattern.includes(',') ? ` Give ${named} once for each pattern.` : '';
    throw new ConfigurationError(
      `${named} ${pattern} matches no requirement, no check and no area.${didYouMean(pattern, known)}${advice} \`stockcheck explain\` lists them.`,
    );
  }
  return { rows: [], checks };
}
