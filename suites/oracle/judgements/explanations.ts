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
// Among sets that cost the same, the one decides that holds the likeliest of most violations.
const LESS_LIKELY = 0.1;

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
  const extend = (chosen: ReadonlySet<RequirementId>, cost: number): void => {
    if (cost >= leastCost) {
      return;
    }
    const open = violations.find(({ ids }) => !ids.some((id) => chosen.has(id)));
    if (open === undefined) {
      const owners = ownersAmong(violations, chosen);
      const total = cost + (LESS_LIKELY * unlikelinessOf(violations, owners)) / all;
      if (total < leastCost) {
        leastCost = total;
        best = owners;
      }
      return;
    }
    for (const id of open.ids) {
      extend(new Set([...chosen, id]), cost + costOf(id, chosen));
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

function ownersAmong(
  violations: readonly ContestedViolation[],
  chosen: ReadonlySet<RequirementId>,
): readonly (RequirementId | undefined)[] {
  const explains = new Map<RequirementId, number>();
  for (const { ids, times } of violations) {
    for (const id of ids) {
      explains.set(id, (explains.get(id) ?? 0) + times);
    }
  }
  return violations.map(
    ({ ids }) =>
      ids
        .filter((id) => chosen.has(id))
        .toSorted((one, other) => (explains.get(other) ?? 0) - (explains.get(one) ?? 0))[0],
  );
}

/** How many violations are owned by another requirement than the likeliest. */
function unlikelinessOf(
  violations: readonly ContestedViolation[],
  owners: readonly (RequirementId | undefined)[],
): number {
  return violations.reduce((sum, { ids, times }, index) => sum + (ids[0] === owners[index] ? 0 : times), 0);
}
