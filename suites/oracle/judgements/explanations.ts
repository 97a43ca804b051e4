import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Explanation } from '../../../contract/verdict.ts';

/** The same explanation in other words. */
export function reworded(explanation: Explanation, message: string): Explanation {
  return { ...explanation, message };
}

/** Violations that each of the same requirements explains. */
export interface ContestedViolation {
  /** The likeliest first. */
  readonly ids: readonly RequirementId[];
  /** How often it was seen. */
  readonly times: number;
}

// A target that gets one of these wrong often gets the others wrong as well.
const FAMILIES = [/^minute-limit-/, /^day-limit-/, /^keys-independent-/];
const FURTHER_OF_A_FAMILY = 0.4;
// What is never the likeliest explanation of a violation is hardly that of all.
const NEVER_LIKELIEST = 0.45;
// Among sets that cost the same, the one decides that holds the likeliest of most violations.
const LESS_LIKELY = 0.05;
// What explains the most is tried first, so that more tries hardly find fewer.
const MOST_TRIES = 20_000;

/**
 * The fewest requirements that together explain all violations.
 * @param failed requirements that are violated anyway
 * @returns for each violation the one that it breaks: of several, the one that explains the most
 */
export function fewestExplanations(
  violations: readonly ContestedViolation[],
  failed: ReadonlySet<RequirementId>,
): readonly (RequirementId | undefined)[] {
  let best: readonly (RequirementId | undefined)[] = violations.map(({ ids }) => ids[0]);
  let leastCost = Number.POSITIVE_INFINITY;
  const all = violations.reduce((sum, { times }) => sum + times, 0);
  const explains = countExplained(violations);
  const likeliest = new Set(violations.map(({ ids }) => ids[0]));
  let tries = 0;
  const extend = (chosen: ReadonlySet<RequirementId>, cost: number): void => {
    tries += 1;
    if (cost >= leastCost || tries > MOST_TRIES) {
      return;
    }
    const open = violations.find(({ ids }) => !ids.some((id) => chosen.has(id)));
    if (open === undefined) {
      const owners = violations.map(({ ids }) => mostExplaining(ids, explains).find((id) => chosen.has(id)));
      const total = cost + (LESS_LIKELY * unlikelinessOf(violations, owners)) / all;
      if (total < leastCost) {
        leastCost = total;
        best = owners;
      }
      return;
    }
    for (const id of mostExplaining(open.ids, explains)) {
      const unlikely = likeliest.has(id) ? 0 : NEVER_LIKELIEST;
      extend(new Set([...chosen, id]), cost + costOf(id, chosen) + unlikely);
    }
  };
  extend(failed, 0);
  return best;
}

function costOf(id: RequirementId, chosen: ReadonlySet<RequirementId>): number {
  const family = FAMILIES.find((pattern) => pattern.test(id));
  const isFurther = family !== undefined && [...chosen].some((other) => family.test(other));
  return isFurther ? FURTHER_OF_A_FAMILY : 1;
}

/** How many violations each requirement explains. */
function countExplained(violations: readonly ContestedViolation[]): ReadonlyMap<RequirementId, number> {
  const explains = new Map<RequirementId, number>();
  for (const { ids, times } of violations) {
    for (const id of ids) {
      explains.set(id, (explains.get(id) ?? 0) + times);
    }
  }
  return explains;
}

function mostExplaining(
  ids: readonly RequirementId[],
  explains: ReadonlyMap<RequirementId, number>,
): readonly RequirementId[] {
  return ids.toSorted((one, other) => (explains.get(other) ?? 0) - (explains.get(one) ?? 0));
}

/** How many violations are owned by another requirement than the likeliest. */
function unlikelinessOf(
  violations: readonly ContestedViolation[],
  owners: readonly (RequirementId | undefined)[],
): number {
  return violations.reduce((sum, { ids, times }, index) => sum + (ids[0] === owners[index] ? 0 : times), 0);
}
