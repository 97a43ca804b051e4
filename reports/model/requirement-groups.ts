import { AREAS } from '../../contract/requirements/index.ts';
import type { Level, Outcome } from '../../contract/verdict.ts';
import type { AnyVerdict, Report, ReportedRequirement } from './report.ts';

export const LEVELS = ['must', 'should', 'observe'] as const satisfies readonly Level[];

/** The outcomes, the ones that ask for attention first. */
export const OUTCOMES = [
  'fail',
  'inconclusive',
  'skipped',
  'pass',
  'observed',
] as const satisfies readonly Outcome[];

/** The `counts` that belong to these requirements. */
export function countOutcomes(
  requirements: readonly Pick<ReportedRequirement, 'level' | 'outcome'>[],
): Record<Level, Record<Outcome, number>> {
  const none = { pass: 0, fail: 0, inconclusive: 0, skipped: 0, observed: 0 };
  const counts = { must: { ...none }, should: { ...none }, observe: { ...none } };
  for (const { level, outcome } of requirements) {
    counts[level][outcome] += 1;
  }
  return counts;
}

/** Whether the requirement takes part in the verdict. */
export function isBinding(
  report: Pick<Report, 'level'>,
  requirement: Pick<ReportedRequirement, 'level' | 'newer'>,
): boolean {
  return requirement.newer !== true && (requirement.level === 'must' || requirement.level === report.level);
}

export type AreaGroup = readonly [area: string, requirements: readonly ReportedRequirement[]];

/** The requirements by area, in the register's order; areas that it does not know come last. */
export function groupByArea(requirements: readonly ReportedRequirement[]): readonly AreaGroup[] {
  const groups = Map.groupBy(requirements, ({ area }) => area);
  const areas = new Set<string>([...AREAS, ...groups.keys()]);
  return [...areas].flatMap((area) => {
    const group = groups.get(area);
    return group === undefined ? [] : [[area, group] as const];
  });
}

/** The requirements by the reason given, the most frequent reason first. */
export function groupByReason(
  requirements: readonly ReportedRequirement[],
): readonly (readonly [reason: string, requirements: readonly ReportedRequirement[]])[] {
  const groups = Map.groupBy(requirements, reasonOf);
  return [...groups].toSorted(([, left], [, right]) => right.length - left.length);
}

/** The reason, else the first finding, of a requirement that was not decided. */
export function reasonOf({ reason, findings }: ReportedRequirement): string {
  return reason ?? findings[0]?.message ?? 'no reason was given';
}

/** A sign for each outcome, so that colour is never the only mark. */
export const OUTCOME_SIGN: Readonly<Record<Outcome, string>> = {
  pass: '✓',
  fail: '✗',
  inconclusive: '?',
  skipped: '–',
  observed: '○',
};

/** The outcome whose sign and colour a verdict has. */
export const VERDICT_OUTCOME = {
  conformant: 'pass',
  certified: 'pass',
  nonconformant: 'fail',
  'not-certified': 'fail',
  inconclusive: 'inconclusive',
} as const satisfies Readonly<Record<AnyVerdict, Outcome>>;

export function verdictSign(verdict: AnyVerdict): string {
  return OUTCOME_SIGN[VERDICT_OUTCOME[verdict]];
}
