import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Explanation, Finding } from '../../../contract/verdict.ts';
import { fewestExplanations } from './explanations.ts';
import { isFull, keepSimplest, type SimplestFindings } from './simplest-findings.ts';

/** What one check or monitor saw that breaks a requirement. */
export interface SettledViolations {
  readonly by: string;
  readonly times: number;
  readonly findings: readonly Finding[];
}

interface Violations {
  readonly by: string;
  readonly failures: SimplestFindings;
  /** Of the latest of them, as what was seen since rules out the same of each. */
  explanations: readonly Explanation[];
  times: number;
}

/** Collects violations of which several requirements may be the one that is broken. */
export function collectContested() {
  const all = new Map<string, Violations>();
  return {
    /** @param explanations the likeliest first */
    fail: (by: string, finding: Finding, explanations: readonly Explanation[]): void => {
      const name = [by, ...explanations.map(({ id }) => id)].join(' ');
      const known = all.get(name) ?? { by, failures: { findings: [], offered: 0 }, explanations, times: 0 };
      all.set(name, known);
      known.times += 1;
      known.explanations = explanations;
      keepSimplest(known.failures, finding);
    },
    /** Whether no further one with these explanations is kept, but only counted. */
    isFull: (ids: readonly RequirementId[]): boolean =>
      [...all.values()].some(
        ({ explanations, failures }) =>
          explanations.map(({ id }) => id).join(' ') === ids.join(' ') && isFull(failures),
      ),
    /**
     * Those that break a requirement, if the fewest requirements explain them all.
     * @param failed requirements that are violated anyway
     * @param mayOwn which requirements are to explain what they can
     */
    settle: (
      failed: ReadonlySet<RequirementId>,
      mayOwn: (id: RequirementId) => boolean,
    ): ReadonlyMap<RequirementId, readonly SettledViolations[]> => {
      const violations = [...all.values()].map(({ by, times, failures, explanations }) => ({
        by,
        times,
        failures,
        ids: possibleOf(explanations, mayOwn),
      }));
      const owners = fewestExplanations(violations, failed);
      const settled = new Map<RequirementId, SettledViolations[]>();
      violations.forEach(({ by, times, failures }, index) => {
        const id = owners[index];
        if (id !== undefined) {
          const findings = failures.findings.map((finding) => findingOf(finding, id));
          settled.set(id, [...(settled.get(id) ?? []), { by, times, findings }]);
        }
      });
      return settled;
    },
  };
}

/**
 * The requirements that still explain it: if there are some, those that are to own what they can. What decides the verdict is
 * explained by nothing that does not, and the other way round.
 */
function possibleOf(
  explanations: readonly Explanation[],
  mayOwn: (id: RequirementId) => boolean,
): readonly RequirementId[] {
  const [likeliest] = explanations;
  const level = likeliest === undefined ? 'must' : requirement(likeliest.id).level;
  const binding = explanations.filter(({ id }) => requirement(id).level === level);
  const ids = binding.map(({ id }) => id);
  const possible = binding.filter(({ isRuledOut }) => isRuledOut?.() !== true).map(({ id }) => id);
  const owners = possible.filter(mayOwn);
  return [owners, possible, ids].find((some) => some.length > 0) ?? ids;
}

/** What was found, as a violation of one of the requirements that explain it. */
function findingOf({ explanations, ...finding }: Finding, id: RequirementId): Finding {
  return { ...finding, message: explanations?.find((one) => one.id === id)?.message ?? finding.message };
}
