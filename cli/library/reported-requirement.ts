import {
  AREAS,
  isNewer,
  LATEST_SET,
  requirement,
  type RequirementId,
  type RequirementSet,
} from '../../contract/requirements/index.ts';
import type { ReportedPower, ReportedRequirement, AnyReport } from '../../reports/index.ts';
import type { Tally } from '../../contract/verdict.ts';
import {
  type Judgement,
  type JudgementTally,
  HISTORY_MONITORS,
  earlyRenewalsMonitor,
  limitsMonitor,
  MONITORS,
} from '../../suites/oracle/index.ts';

/**
 * A row of the register with what a run holds of it.
 * @param count how often a failure was seen
 * @param set what the run is judged by; what is newer decides nothing
 */
export function reportRequirement(
  judgement: Judgement,
  count: (tallies: readonly JudgementTally[]) => Tally,
  set: RequirementSet,
): ReportedRequirement {
  const { id, outcome, evidence, tallies, findings, reason, judgedBy } = judgement;
  const row = requirement(id);
  const { level, since, area, statement, clause, reading } = row;
  return {
    id,
    level,
    since,
    ...(isNewer(row, set) ? { newer: true } : {}),
    area,
    outcome,
    title: statement,
    clause,
    ...(reading === undefined ? {} : { reading }),
    ...(reason === null ? {} : { reason }),
    evidence,
    ...(outcome === 'fail' ? { tally: count(tallies) } : {}),
    checks: judgedBy,
    findings,
  };
}

// A limit takes many responses to judge.
const OF_ONE_RESPONSE: readonly { readonly id: string }[] = [...MONITORS, ...HISTORY_MONITORS].filter(
  ({ id }) => id !== limitsMonitor.id && id !== earlyRenewalsMonitor.id,
);

/** What monitors found in single responses is counted in those; what checks found, and what takes many, in judgements. */
export function countResponses(tallies: readonly JudgementTally[]): Tally {
  const failing = tallies.filter(({ failed }) => failed > 0);
  const seenByMonitors = failing.filter(({ by }) => OF_ONE_RESPONSE.some(({ id }) => id === by));
  return seenByMonitors.length > 0
    ? { ...sumOf(seenByMonitors), of: 'responses' }
    : { ...sumOf(failing), of: 'judgements' };
}

/** Of a client each scenario is judged as a whole. */
export function countScenarios(tallies: readonly JudgementTally[]): Tally {
  const violated = tallies.filter(({ failed }) => failed > 0).length;
  return { violated, judged: tallies.length, of: 'scenarios' };
}

/** Under load the monitors see a sample of the responses, and all that look wrong. */
export function countViolations(tallies: readonly JudgementTally[]): Tally {
  return { ...sumOf(tallies), judged: null, of: 'responses' };
}

function sumOf(tallies: readonly JudgementTally[]): { readonly violated: number; readonly judged: number } {
  const violated = tallies.reduce((sum, { failed }) => sum + failed, 0);
  return { violated, judged: tallies.reduce((sum, { passed }) => sum + passed, violated) };
}

/** Whether a requirement failed that no baseline expects to fail. */
export function isUnexpectedFailure({ outcome, expectedFailure }: ReportedRequirement): boolean {
  return outcome === 'fail' && expectedFailure !== true;
}

/** What a scope says of the set, if it is not the newest. */
export function setText(set: RequirementSet): string {
  return set === LATEST_SET ? '' : `, by requirement set ${set}`;
}

/** The ids of what was decided, one way or the other. */
export function decidedIds(
  requirements: readonly Pick<ReportedRequirement, 'id' | 'outcome'>[],
): ReadonlySet<string> {
  return new Set(
    requirements.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail').map(({ id }) => id),
  );
}

/** What stands in place of the judgement of a run in which nothing could be judged. */
export function notJudged(id: RequirementId, reason: string): Judgement {
  return { id, outcome: 'skipped', evidence: 0, tallies: [], findings: [], judgedBy: [], reason };
}

/** Of some known faults, how many a run could have caught. @param label what they have in common */
export function reachOf<Label extends object>(
  label: Label,
  faults: readonly { readonly isWithinReach: boolean }[],
): Label & { readonly known: number; readonly withinReach: number } {
  const withinReach = faults.filter(({ isWithinReach }) => isWithinReach).length;
  return { ...label, known: faults.length, withinReach };
}

/** The same in all, and by the area of what they break. */
export function reachByArea(
  faults: readonly { readonly isWithinReach: boolean; readonly area: string | undefined }[],
): ReportedPower {
  const byArea = AREAS.map((area) =>
    reachOf(
      { area },
      faults.filter((fault) => fault.area === area),
    ),
  );
  return { ...reachOf({}, faults), byArea: byArea.filter(({ known }) => known > 0) };
}

/** What a verdict says of a run that could not put back all that it changed; its problems say what. */
export const LEFT_CHANGED = 'not all that was changed could be put back';

/** The report with every text made one that may be shown. @param redact what makes a text so */
export function redactReport<Reported extends AnyReport>(
  report: Reported,
  redact: (text: string) => string,
): Reported {
  const redacted: Reported = JSON.parse(JSON.stringify(report), (_member, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  return redacted;
}
