import { packageVersion } from '../version.ts';
import {
  findRequirement,
  isNewer,
  LATEST_SET,
  requirement,
  type RequirementId,
  type RequirementSet,
} from '../../../contract/requirements/index.ts';
import { quantile } from '../../../contract/quantile.ts';
import { EXPLORE, type Outcome, type Finding } from '../../../contract/verdict.ts';
import {
  countOutcomes,
  countText,
  isBinding,
  type ReportedExploration,
  reportCauses,
  type ReportedRequirement,
  type ReportedResponseTimes,
  type ReportedTraffic,
  type TargetVerdict,
  type VerifyReport,
  withSubject,
} from '../../../reports/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import {
  EXPLORATION_LINE,
  type ExplorationResult,
  type RunResult,
  type Selection,
} from '../../../suites/verify/index.ts';
import type { TargetConfig } from '../../../suites/target/index.ts';
import type { Baseline } from '../baseline.ts';
import { powerOf, whyUnearned } from './power.ts';
import { type Repetition, explorationLine, FIRST_CHECK, repeatLine } from '../repetition.ts';
import {
  countResponses,
  LEFT_CHANGED,
  isUnexpectedFailure,
  notJudged,
  reportRequirement,
  setText,
} from '../reported-requirement.ts';
import { requestsInTrail } from '../../../contract/trail.ts';

export interface ReportContext {
  readonly config: TargetConfig;
  /** Whether the target is the embedded reference server. */
  readonly embedded?: boolean;
  readonly level: 'must' | 'should';
  /** What decides; the newest set by default. */
  readonly requirementSet?: RequirementSet;
  readonly selection: Selection | null;
  /** Failures that are expected; none by default. */
  readonly baseline?: Baseline;
  /** How a check is run again from a shell; findings have no such line if it is absent. */
  readonly repetition?: Repetition;
  /** Set if traffic of others was judged in place of a run. */
  readonly traffic?: ReportedTraffic;
}

/** The one report of a run; every format is written from it. */
export function buildReport(result: RunResult, context: ReportContext): VerifyReport {
  const { config, level, requirementSet = LATEST_SET, selection } = context;
  const notReady = 'message' in result.preflight ? result.preflight.message : null;
  const checks = checkRows(result);
  const requirements = requirementRows(result, checks, context);
  const isCutShort = result.interrupted || result.stopped || result.bailed || notReady !== null;
  // What holds so far may fail later.
  const stale = isCutShort
    ? []
    : requirements.filter(({ id, outcome }) => outcome === 'pass' && isExpected(id, context));
  const problems = [
    ...(notReady === null ? [] : [notReady]),
    ...result.problems,
    ...(result.bailed
      ? ['The run ended at the first failure (--bail), so what it had not judged yet stays open.']
      : []),
    ...(result.interrupted ? ['The run was interrupted, so what it had not judged yet stays open.'] : []),
    ...stale.map(({ id }) => `The baseline expects ${id} to fail, but it holds: remove the stale entry.`),
  ];
  const verdict = decide(requirements, level, isCutShort || !result.isRestored, stale.length > 0);
  const labels = config.keys.map(({ label }) => label);
  const issued = Object.keys(result.spent.byKey).filter(
    (key) => key !== 'none' && key !== EXPLORATION_LINE && !labels.includes(key),
  ).length;
  const { budget } = result.plan;
  const observations = Object.fromEntries(
    Object.entries(result.observations).filter(([name]) => isSelected(name, selection)),
  );
  const report = {
    schemaVersion: 1 as const,
    kind: 'verify' as const,
    verdict,
    scope: withSubject(
      `${describeScope(verdict, requirements, context)}${shortcomings(result)}`,
      context.embedded === true,
    ),
    profile: config.profile,
    level,
    requirementSet,
    target: {
      url: config.target,
      ...(context.embedded === true ? { embedded: true } : {}),
      control: config.control,
      keys: issued === 0 ? labels : [...labels, `${issued} issued for this run`],
    },
    startedAt: result.startedAt.toISOString(),
    durationSeconds: round(result.durationSeconds),
    suite: { version: packageVersion(), specVersion: '1.0.0' as const },
    causes: reportCauses({ requirements, level }),
    requirements,
    counts: countOutcomes(requirements),
    observations,
    budget: {
      announced: budget.total,
      spent: result.spent.total,
      byKey: budget.lines.map(({ label, plan, announced }) => ({
        label,
        plan: plan ?? 'any',
        announced,
        spent: spentOn(label, result),
      })),
    },
    checks,
    ...(result.responseTimes.length === 0 ? {} : { responseTimes: reportTimes(result.responseTimes) }),
    ...(result.exploration === null ? {} : { exploration: explorationOf(result.exploration) }),
    problems,
    ...(context.traffic === undefined ? {} : { traffic: context.traffic }),
  };
  return report.checks.length > 0 ? { ...report, power: powerOf(report) } : report;
}

/** What was judged, and why that is no pass of which hardly any violation would have shown. */
function requirementRows(
  result: RunResult,
  checks: VerifyReport['checks'],
  context: ReportContext,
): readonly ReportedRequirement[] {
  const { selection, requirementSet = LATEST_SET, config } = context;
  const rows = judgementsOf(result)
    .filter(({ id }) => selection?.requirement(id) ?? true)
    .map((judgement) =>
      reportRequirement(repeatable(judgement, result, context), countResponses, requirementSet),
    )
    .map((row) => (row.outcome === 'fail' && isExpected(row.id, context) ? expected(row) : row));
  const unearned = whyUnearned({ requirements: rows, checks, target: config }, result.leftOut);
  return rows.map((row) => notEarned(row, unearned.get(row.id)));
}

function notEarned(row: ReportedRequirement, reason: string | undefined): ReportedRequirement {
  return reason === undefined ? row : { ...row, outcome: 'skipped', reason };
}

function reportTimes(milliseconds: readonly number[]): ReportedResponseTimes {
  return {
    requests: milliseconds.length,
    p50: round(quantile(milliseconds, 0.5)),
    p95: round(quantile(milliseconds, 0.95)),
  };
}

const EXPLORATION_TITLE = 'Random sequences of all that a client can do';

/** The checks, and the exploration as one of them. */
function checkRows({ checks, judgements, ...run }: RunResult) {
  const { exploration } = run;
  return [
    ...checks.map(({ check, outcome, durationSeconds, requests }) => ({
      id: check.id,
      title: check.title,
      outcome: outcomeOfCheck(check.judges, outcome, judgements, check.id),
      durationSeconds: round(durationSeconds),
      requests,
    })),
    ...(exploration === null ? [] : [checkRowOf(exploration, isExploredInPart(run))]),
  ];
}

function checkRowOf({ found, durationSeconds, requests, shrinking }: ExplorationResult, isPart: boolean) {
  return {
    id: EXPLORE,
    title: EXPLORATION_TITLE,
    outcome: found.length > 0 ? 'fail' : isPart ? 'inconclusive' : 'pass',
    durationSeconds: round(durationSeconds),
    requests: requests + shrinking,
  } as const;
}

function explorationOf({
  durationSeconds: _durationSeconds,
  found,
  ...explored
}: ExplorationResult): ReportedExploration {
  return {
    ...explored,
    found: found.map(({ id, requests, isRepeated }) => ({ requirement: id, requests, repeated: isRepeated })),
  };
}

/** Whether an observation, named by its requirement and perhaps a facet, was asked for. */
function isSelected(name: string, selection: Selection | null): boolean {
  const id = findRequirement(name.split('.')[0] ?? name)?.id;
  return selection === null || (id !== undefined && selection.requirement(id));
}

// The reason itself stands once, among the problems of the run.
const NOT_JUDGED = 'The run ended before anything could be judged: see its problems.';

/**
 * The judgements of a run. What a target that is not there, or not the service, answers says nothing of the service; one
 * that was there, and died of the first request, has failed in that.
 */
function judgementsOf({ judgements, preflight }: RunResult): readonly Judgement[] {
  return 'message' in preflight
    ? judgements.map((judgement) =>
        preflight.state === 'died' && judgement.outcome === 'fail'
          ? judgement
          : notJudged(judgement.id, NOT_JUDGED),
      )
    : judgements;
}

function expected(row: ReportedRequirement): ReportedRequirement {
  return { ...row, expectedFailure: true };
}

function isExpected(id: string, { baseline = new Map() }: Pick<ReportContext, 'baseline'>): boolean {
  return baseline.has(id);
}

type Scored = Pick<ReportContext, 'requirementSet' | 'selection' | 'baseline'>;

/** Whether the target is nonconformant if a requirement fails. */
export function isDecisive(id: RequirementId, context: Scored & Pick<ReportContext, 'level'>): boolean {
  return isBinding(context, requirement(id)) && isUnexpected(id, context);
}

/** Whether a failure was asked for, and is none that the baseline expects or that is not scored. */
export function isUnexpected(id: RequirementId, context: Scored): boolean {
  const { requirementSet = LATEST_SET, selection } = context;
  return (
    !isNewer(requirement(id), requirementSet) &&
    (selection?.requirement(id) ?? true) &&
    !isExpected(id, context)
  );
}

/** A violation decides first; then nothing may be open, and something must have been judged. */
function decide(
  requirements: readonly ReportedRequirement[],
  level: 'must' | 'should',
  isOpen: boolean,
  hasStaleBaseline: boolean,
): TargetVerdict {
  const binding = requirements.filter((row) => isBinding({ level }, row));
  if (hasStaleBaseline || binding.some(isUnexpectedFailure)) {
    return 'nonconformant';
  }
  const open = binding.some(({ outcome }) => outcome === 'inconclusive');
  const judged = binding.some(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  return isOpen || open || !judged ? 'inconclusive' : 'conformant';
}

/** What a run did not do that was asked of it, behind its scope. */
function shortcomings({ isRestored, ...run }: RunResult): string {
  return [
    ...(isExploredInPart(run)
      ? [`, ${run.exploration?.requests} of ${run.plan.exploration?.requests} requests explored`]
      : []),
    ...(isRestored ? [] : [`, ${LEFT_CHANGED}`]),
  ].join('');
}

/** Whether less was explored than was asked for. */
function isExploredInPart({ exploration, plan }: Pick<RunResult, 'exploration' | 'plan'>): boolean {
  return (exploration?.requests ?? Infinity) < (plan.exploration?.requests ?? 0);
}

function describeScope(
  verdict: TargetVerdict,
  requirements: readonly ReportedRequirement[],
  { config: { profile }, level, requirementSet = LATEST_SET, selection, traffic }: ReportContext,
): string {
  const scored = requirements.filter(({ newer }) => newer !== true);
  const musts = scored.filter((row) => row.level === 'must');
  const judged = musts.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  const failed = failedText(scored, level);
  const expected = requirements.filter(({ expectedFailure }) => expectedFailure === true).length;
  const known = expected === 0 ? '' : `, ${countText(expected, 'known failure')} accepted`;
  const also = level === 'should' ? ', SHOULDs decide too' : '';
  const only = (selection?.words ?? []).map((word) => ` ${word}`).join('');
  const part = only === '' ? '' : `, with${only}`;
  const where = traffic === undefined ? `profile ${profile}` : 'the traffic';
  return `${verdict} in ${where}: ${failed}${judged.length} of ${musts.length} MUSTs judged${part}${known}${also}${setText(requirementSet)}`;
}

/** How many of each level that decides failed, such as `13 of 55 MUSTs failed, `; empty if none did. */
function failedText(requirements: readonly ReportedRequirement[], level: 'must' | 'should'): string {
  const levels = level === 'should' ? (['must', 'should'] as const) : (['must'] as const);
  return levels
    .map((name) => {
      const rows = requirements.filter((row) => row.level === name);
      const failed = rows.filter(isUnexpectedFailure).length;
      return failed === 0 ? '' : `${failed} of ${rows.length} ${name.toUpperCase()}s failed, `;
    })
    .join('');
}

function outcomeOfCheck(
  judges: readonly string[],
  outcome: 'done' | 'inconclusive',
  judgements: readonly Judgement[],
  id: string,
): Outcome {
  const own = judgements.filter(
    (judgement) => judges.includes(judgement.id) && judgement.judgedBy.includes(id),
  );
  if (own.some((judgement) => judgement.outcome === 'fail')) {
    return 'fail';
  }
  if (outcome === 'inconclusive') {
    return 'inconclusive';
  }
  return own.some((judgement) => judgement.outcome === 'pass') ? 'pass' : 'observed';
}

function spentOn(label: string, { spent, plan }: RunResult): number {
  if (label === 'without a known key') {
    return spent.byKey['none'] ?? 0;
  }
  if (label === 'issued keys') {
    return Object.entries(spent.byKey)
      .filter(([key]) => key !== 'none' && key !== EXPLORATION_LINE)
      .reduce((sum, [, count]) => sum + count, 0);
  }
  const isOwnLine = plan.budget.lines.some((line) => line.label === label);
  return isOwnLine ? (spent.byKey[label] ?? 0) : 0;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Each finding with the tries that its trail takes, and the line that runs its check again. */
function repeatable(
  judgement: Judgement,
  { plan: { exploration } }: Pick<RunResult, 'plan'>,
  { repetition, level }: ReportContext,
): Judgement {
  const { id, outcome, tallies } = judgement;
  const { violated, judged, of } = countResponses(tallies);
  const findings = judgement.findings.map((finding) =>
    of === 'responses' ? withAttempts(finding, violated / (judged ?? violated)) : finding,
  );
  if (repetition === undefined) {
    return { ...judgement, findings };
  }
  // What shows in few responses may not show in those of one check.
  const isRare = outcome === 'fail' && of === 'responses' && violated < (judged ?? 0) / 4;
  const lineFor = (finding: Finding): Finding => ({
    ...finding,
    repeat:
      finding.check === EXPLORE && exploration !== null
        ? explorationLine(repetition, id, exploration, level)
        : repeatLine(repetition, id, isRare ? null : (finding.check ?? FIRST_CHECK), level),
  });
  return { ...judgement, findings: findings.map(lineFor) };
}

const MOST_ATTEMPTS = 20;
const MOST_REQUESTS_IN_ALL = 1_000;
// At random, one in twenty is missed then.
const ENOUGH = 3;

/** What shows in some responses only may take some tries. @param share of the responses that show it */
function withAttempts(finding: Finding, share: number): Finding {
  const { trail } = finding;
  if (trail?.isOracles !== true || share > 0.5) {
    return finding;
  }
  const requests = requestsInTrail(trail);
  const wanted = Math.ceil(ENOUGH / (share * requests));
  const most = Math.min(MOST_ATTEMPTS, Math.ceil(MOST_REQUESTS_IN_ALL / requests));
  return {
    ...finding,
    trail: { ...trail, attempts: Math.max(trail.attempts, Math.min(most, wanted)) },
  };
}
