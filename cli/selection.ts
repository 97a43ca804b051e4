import picomatch from 'picomatch';
import { AREAS, findRequirement, REQUIREMENTS, type RequirementId } from '../contract/requirements.ts';
import { CHECKS } from '../suites/checks/index.ts';
import type { Check } from '../suites/check.ts';
import { closestName } from '../suites/closest-name.ts';
import { ConfigurationError } from '../suites/configuration-error.ts';

/** What `--only` leaves of the register and of the checks. */
export interface Selection {
  readonly requirement: (id: RequirementId) => boolean;
  readonly check: (check: Check) => boolean;
}

/**
 * Reads the patterns of `--only`: globs over ids of requirements, ids of checks, and areas.
 * @throws {ConfigurationError} where a pattern matches nothing
 */
export function readSelection(patterns: readonly string[]): Selection | null {
  if (patterns.length === 0) {
    return null;
  }
  const requirements = new Set<RequirementId>();
  const checks = new Set<string>();
  for (const pattern of patterns) {
    const matches = picomatch(pattern);
    const rows = REQUIREMENTS.filter(({ id, area }) => matches(id) || matches(area));
    const direct = CHECKS.filter(({ id }) => matches(id));
    if (rows.length + direct.length === 0) {
      const known = [...AREAS, ...REQUIREMENTS.map(({ id }) => id), ...CHECKS.map(({ id }) => id)];
      const closest = closestName(pattern, known);
      const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
      throw new ConfigurationError(
        `--only ${pattern} matches no requirement, no check and no area.${hint} \`stockcheck explain\` lists them.`,
      );
    }
    for (const { id } of rows) {
      requirements.add(id);
    }
    for (const { id, judges } of direct) {
      checks.add(id);
      for (const judged of judges) {
        requirements.add(judged);
      }
    }
  }
  const named = new Set([...requirements].filter((id) => findRequirement(id)?.notChecked === undefined));
  return {
    requirement: (id) => named.has(id),
    check: ({ id, judges }) =>
      checks.has(id) ||
      (checks.size === 0 && judges.some((judged) => named.has(judged))) ||
      judges.some((judged) => named.has(judged) && !coveredBy(checks, judged)),
  };
}

/** Whether a check that was named itself judges that requirement. */
function coveredBy(checks: ReadonlySet<string>, requirement: RequirementId): boolean {
  return CHECKS.some(({ id, judges }) => checks.has(id) && judges.includes(requirement));
}
