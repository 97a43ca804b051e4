import { CLIENT_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import type { ReportedRequirement } from '../../../reports/index.ts';
import { type JudgedRecord, SCENARIOS } from '../../../suites/certify/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import { baselinesOf, type Baseline } from '../baseline.ts';

/** What a client is expected to fail. */
export const clientBaselineOf = baselinesOf('scenario and no requirement on clients', [
  ...CLIENT_REQUIREMENTS,
  ...SCENARIOS,
]);

/** Whether the requirement is expected to fail, or each scenario in which it failed is. */
export function expectsFailure(baseline: Baseline, { id, tallies }: Judgement): boolean {
  return baseline.has(id) || tallies.filter(({ failed }) => failed > 0).every(({ by }) => baseline.has(by));
}

/** The entries that expect a failure of what was judged and holds. */
export function staleEntries(
  baseline: Baseline,
  requirements: readonly ReportedRequirement[],
  records: readonly JudgedRecord[],
): readonly string[] {
  const held = new Set([
    ...requirements.filter(({ outcome }) => outcome === 'pass').map(({ id }) => id),
    ...records.filter(({ judgement }) => judgement.outcome === 'pass').map(({ scenario }) => scenario.id),
  ]);
  return [...baseline.keys()].filter((id) => held.has(id));
}
