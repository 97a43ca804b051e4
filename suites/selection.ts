import picomatch from 'picomatch';
import {
  AREAS,
  REQUIREMENTS,
  SERVER_REQUIREMENTS,
  type Requirement,
  type RequirementId,
} from '../contract/requirements.ts';
import { CHECKS } from './checks/index.ts';
import type { Check } from './check.ts';
import { closestName } from './closest-name.ts';
import { ConfigurationError } from './configuration-error.ts';

/** What is left of the register and of the checks where only a part was asked for. */
export interface Selection {
  readonly requirement: (id: RequirementId) => boolean;
  readonly check: (check: Check) => boolean;
}

/**
 * Reads globs over ids of requirements, ids of checks, and areas. What only monitors judge shows in every exchange,
 * so that a pattern for nothing else brings all checks, unless another one is the id of a check: then it is judged by
 * the exchanges of that check.
 * @param named what messages call the option, such as `--only`
 * @returns `null`, everything, where there is no pattern
 * @throws {ConfigurationError} where a pattern matches nothing
 */
export function readSelection(patterns: readonly string[], named: string): Selection | null {
  if (patterns.length === 0) {
    return null;
  }
  const requirements = new Set<RequirementId>();
  const checks = new Set<string>();
  let takesAll = false;
  let namesCheck = false;
  for (const pattern of patterns) {
    const matches = picomatch(pattern);
    const rows = REQUIREMENTS.filter(({ id, area }) => matches(id) || matches(area));
    const direct = CHECKS.filter(({ id }) => matches(id));
    if (rows.length + direct.length === 0) {
      const known = [...AREAS, ...REQUIREMENTS.map(({ id }) => id), ...CHECKS.map(({ id }) => id)];
      const closest = closestName(pattern, known);
      const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
      throw new ConfigurationError(
        `${named} ${pattern} matches no requirement, no check and no area.${hint} \`stockcheck explain\` lists them.`,
      );
    }
    const [unjudged] = rows;
    if (unjudged !== undefined && direct.length === 0 && !rows.some(isJudged)) {
      throw new ConfigurationError(
        `${named} ${pattern}: ${unjudged.id} is not judged. ${unjudged.notChecked ?? 'It binds clients, which `stockcheck certify` judges.'}`,
      );
    }
    namesCheck ||= rows.length === 0 && direct.some(({ id }) => id === pattern);
    takesAll ||=
      direct.length === 0 && !rows.some(({ id }) => CHECKS.some(({ judges }) => judges.includes(id)));
    for (const { id } of rows) {
      requirements.add(id);
    }
    for (const { id, judges } of direct) {
      checks.add(id);
      for (const requirement of judges) {
        requirements.add(requirement);
      }
    }
  }
  const judged = new Set(SERVER_REQUIREMENTS.map(({ id }) => id).filter((id) => requirements.has(id)));
  return {
    requirement: (id) => judged.has(id),
    check: ({ id, judges }) =>
      (takesAll && !namesCheck) ||
      checks.has(id) ||
      judges.some((requirement) => judged.has(requirement) && !coveredBy(checks, requirement)),
  };
}

function isJudged(row: Requirement): boolean {
  return SERVER_REQUIREMENTS.includes(row);
}

/** Whether a check that was named itself judges that requirement. */
function coveredBy(checks: ReadonlySet<string>, requirement: RequirementId): boolean {
  return CHECKS.some(({ id, judges }) => checks.has(id) && judges.includes(requirement));
}
