import {
  CLIENT_REQUIREMENTS,
  isNewer,
  LATEST_SET,
  type RequirementId,
  type RequirementSet,
} from '../../../contract/requirements/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { stringifyJson } from '../../../contract/json/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import {
  countOutcomes,
  isBinding,
  reportCauses,
  type CertifyReport,
  type CertifyVerdict,
  type ReportedHerd,
  type ReportedRequirement,
  type ReportedScenario,
  type ReportedServer,
  type TimelineEntry,
  countText,
} from '../../../reports/index.ts';
import {
  type CertifyResult,
  type JudgedRecord,
  type ClientOutcome,
  earlyRequests,
  HERD_JUDGE,
  type HerdFigures,
  isTolerable,
  fitBackoff,
  limitedWaits,
  longestEndedWait,
  returnsOf,
  SCENARIOS,
  hideClientKey,
  requestOfTask,
  type ClientScenario,
  type ClientTask,
} from '../../../suites/certify/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import type { Baseline } from '../baseline.ts';
import { expectsFailure, staleEntries } from './baseline.ts';
import { powerOverClients } from './power.ts';
import { scenarioLine, type Repetition } from '../repetition.ts';
import { setText, countScenarios, isUnexpectedFailure, reportRequirement } from '../reported-requirement.ts';
import type { Likeness } from '../twin/twin.ts';
import { packageVersion } from '../version.ts';

/** What only the client's own reply shows; without replies it is not required. */
const TOLD_BY_REPLY: ReadonlySet<string> = new Set<RequirementId>([
  'client-reports-result',
  'client-reports-error',
  'client-completes',
]);

/** What the report says of how the run was asked for. */
export interface CertifyContext {
  /** The program and its arguments; empty with driver none. */
  readonly command: readonly string[];
  readonly driver: CertifyReport['target']['driver'];
  readonly scenarios: readonly ClientScenario[];
  readonly level: 'must' | 'should';
  /** What decides; the newest set by default. */
  readonly requirementSet?: RequirementSet;
  /** Failures that are expected; none if it is absent. */
  readonly baseline?: Baseline;
  /** The service that the server behaves like; the reference if it is absent or `null`. */
  readonly like?: Pick<Likeness, 'path'> | null;
  /** How scenarios are judged again from a shell; findings have no such line if it is absent. */
  readonly repetition?: Repetition;
}

/** The one report of a run; every format is written from it. The keys of clients are still to be hidden in it. */
export function buildCertifyReport(result: CertifyResult, options: CertifyContext): CertifyReport {
  const {
    driver,
    command,
    level,
    requirementSet = LATEST_SET,
    scenarios,
    baseline = new Map(),
    like = null,
  } = options;
  const asked = new Set([
    ...scenarios.flatMap(({ judges }) => judges),
    ...(result.herd === null ? [] : HERD_JUDGE.judges),
  ]);
  const requirements = result.judgements
    .filter(({ id }) => asked.has(id))
    .map((judgement) => reportJudgement(judgement, options));
  const stale = staleEntries(baseline, requirements, result.records);
  const verdict = stale.length > 0 ? 'not-certified' : decide(requirements, options, result.interrupted);
  const musts = requirements.filter((row) => row.level === 'must' && row.newer !== true);
  const judged = musts.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail').length;
  const all = CLIENT_REQUIREMENTS.filter(
    (row) => row.level === 'must' && !isNewer(row, requirementSet),
  ).length;
  const failed = musts.filter(isUnexpectedFailure).length;
  const failures = failed === 0 ? '' : `${failed} of ${all} MUSTs failed, `;
  const expected = requirements.filter(({ expectedFailure }) => expectedFailure === true).length;
  const known = expected === 0 ? '' : `, ${countText(expected, 'known failure')} accepted`;
  const service = like === null ? '' : `, against a service like ${like.path}`;
  const also = level === 'should' ? ', SHOULDs decide too' : '';
  const played = result.records.map(reportScenario);
  return {
    schemaVersion: 1,
    kind: 'certify',
    verdict,
    scope: `${verdict}: ${failures}${judged} of ${all} MUSTs judged in ${countText(result.records.length, 'scenario')}${watchedText(result.records)}${known}${service}${also}${setText(requirementSet)}`,
    profile: 'full',
    level,
    requirementSet,
    target: { command, driver },
    startedAt: result.startedAt.toISOString(),
    durationSeconds: round(result.durationSeconds),
    suite: { version: packageVersion(), specVersion: '1.0.0' },
    causes: reportCauses({ requirements, level }),
    requirements,
    counts: countOutcomes(requirements),
    observations: result.observations,
    problems: [
      ...problemsOf(result, options),
      ...stale.map((id) => `The baseline expects ${id} to fail, but it holds: remove the stale entry.`),
    ],
    scenarios: played,
    ...(played.length === 0
      ? {}
      : { power: powerOverClients({ requirements, scenarios: played, target: { driver } }) }),
    ...(result.herd === null ? {} : { herd: reportHerd(result.herd) }),
    server: reportServer(result),
  };
}

/** Which waits were watched to their end: a client that cuts longer ones was not seen. */
function watchedText(records: readonly JudgedRecord[]): string {
  const ended = longestEndedWait(records) ?? 0;
  const begun = records.flatMap(({ scenario, endedFor }) =>
    endedFor === 'let go' ? (scenario.letGoAfterSeconds ?? []) : [],
  );
  const parts = [
    ...(ended === 0 ? [] : [`waits watched to their end up to ${ended} s`]),
    ...(begun.length === 0
      ? []
      : [`${ended === 0 ? 'long' : 'longer'} waits watched for ${Math.max(...begun)} s`]),
  ];
  return parts.map((part) => `, ${part}`).join('');
}

/**
 * A violation decides first; then nothing may be open, and every must has to have been seen. With `--only`, what the
 * selected scenarios left unseen is out of scope, whatever the driver.
 */
function decide(
  requirements: readonly ReportedRequirement[],
  { level, driver, scenarios }: CertifyContext,
  interrupted: boolean,
): CertifyVerdict {
  const binding = requirements.filter((row) => isBinding({ level }, row));
  if (binding.some(isUnexpectedFailure)) {
    return 'not-certified';
  }
  const isWhole = scenarios.length === SCENARIOS.length;
  const isOpen = ({ id, level: rowLevel, outcome }: ReportedRequirement): boolean =>
    outcome === 'inconclusive' ||
    (isWhole &&
      outcome === 'skipped' &&
      rowLevel === 'must' &&
      !(driver === 'none' && TOLD_BY_REPLY.has(id)));
  const isJudged = binding.some(({ outcome }) => outcome === 'pass' || outcome === 'fail');
  return interrupted || !isJudged || binding.some(isOpen) ? 'inconclusive' : 'certified';
}

function reportJudgement(judgement: Judgement, context: CertifyContext): ReportedRequirement {
  const row = reportRequirement(
    repeatable(judgement, context),
    countScenarios,
    context.requirementSet ?? LATEST_SET,
  );
  const { baseline = new Map() } = context;
  return row.outcome === 'fail' && expectsFailure(baseline, judgement)
    ? { ...row, expectedFailure: true }
    : row;
}

/** Each finding with the line that plays its scenario again. */
function repeatable(judgement: Judgement, { repetition, command }: CertifyContext): Judgement {
  const lineFor = (finding: Finding): Finding =>
    repetition === undefined || finding.check === undefined
      ? finding
      : { ...finding, repeat: scenarioLine(repetition, finding.check, command) };
  return { ...judgement, findings: judgement.findings.map(lineFor) };
}

function problemsOf(
  { interrupted, records, leftOut }: CertifyResult,
  { driver }: CertifyContext,
): readonly string[] {
  const untouched = records.filter(({ traffic }) => traffic.exchanges.length === 0);
  return [
    ...(interrupted ? ['The run was interrupted, so what it had not judged yet stays open.'] : []),
    ...(leftOut.length > 0
      ? [
          `The client ${whatItLeft(driver, untouched.length === records.length)} in the first ${records.length === 1 ? 'scenario' : countText(records.length, 'scenario')}, so no other was run (${leftOut.length} left).${didYouMean(driver, untouched.length === records.length)}`,
        ]
      : []),
    ...(driver === 'none' && untouched.length > 0
      ? [
          `Nothing was sent in ${untouched.length} of ${records.length} scenarios: ${untouched.map(({ scenario }) => scenario.id).join(', ')}.`,
        ]
      : []),
  ];
}

/** What a client did not do in any scenario, in words. */
function whatItLeft(driver: CertifyContext['driver'], isIdle: boolean): string {
  const left = driver === 'exec' ? 'did not exit' : 'wrote no reply line that is JSON';
  return isIdle ? `sent nothing and ${left}` : left;
}

function didYouMean(driver: CertifyContext['driver'], isIdle: boolean): string {
  if (isIdle) {
    return ` ${driver === 'exec' ? 'Does it wait for input? It gets its task in environment variables.' : 'It gets its task on stdin, one line of JSON each.'}`;
  }
  return driver === 'exec'
    ? ''
    : ' A reply is JSON on one line; if stdout is buffered, the client has to flush it after each.';
}

function reportScenario(record: JudgedRecord): ReportedScenario {
  const { scenario, judgement, outcome, durationSeconds } = record;
  const fit = fitBackoff(limitedWaits(record));
  return {
    id: scenario.id,
    title: scenario.title,
    task: describeTask(scenario.task),
    outcome: judgement.outcome,
    durationSeconds: round(durationSeconds),
    timeline: timelineOf(record),
    ending: describeEnding(record),
    failures: judgement.failures,
    backoff:
      fit.factor === null || fit.jitter === null
        ? null
        : { factor: round(fit.factor), jitter: round(fit.jitter) },
    output: 'output' in outcome ? outcome.output : '',
  };
}

function reportServer({
  records,
  herdServer,
}: Pick<CertifyResult, 'records' | 'herdServer'>): ReportedServer {
  const judged = [...records.map(({ server }) => server), ...(herdServer === null ? [] : [herdServer])];
  return {
    responses: judged.reduce((sum, { responses }) => sum + responses, 0),
    accusations: judged.flatMap(({ accusations }) => accusations),
    breaks: records.flatMap(({ scenario: { id, breaks } }) =>
      breaks === undefined ? [] : [{ scenario: id, requirements: breaks }],
    ),
  };
}

/** The figures of clients that were started together, as reports show them. */
export function reportHerd(figures: HerdFigures): ReportedHerd {
  return { ...figures, refusals: figures.refusals.map(returnsOf) };
}

function describeTask(task: ClientTask): string {
  const { method, path } = requestOfTask(task);
  return `${method} ${path}${task.operation === 'listInventory' ? '' : ` to ${task.quantity}`}`;
}

function timelineOf(record: JudgedRecord): readonly TimelineEntry[] {
  const { traffic, startedAt } = record;
  const early = new Set(
    earlyRequests(record)
      .filter((request) => !isTolerable(request))
      .map(({ request }) => request),
  );
  const since = (unixSeconds: number): number => round(unixSeconds - startedAt);
  return traffic.exchanges.map((exchange) => {
    const { request, response, receivedAt, answeredAt, allowedAt } = exchange;
    return {
      method: request.method,
      target: request.target,
      receivedSeconds: since(receivedAt),
      answeredSeconds: answeredAt === null ? null : since(answeredAt),
      status: answeredAt === null ? null : response.status,
      retryAfter: headerValues(response.headers, 'Retry-After')[0] ?? null,
      allowedSeconds: allowedAt === null ? null : since(allowedAt),
      isEarly: early.has(exchange),
    };
  });
}

const ENDS = {
  silence: 'It sent and reported nothing for too long, and was ended.',
  'let go': 'It was let go while it waited.',
  interruption: 'The run was interrupted.',
  'unending retries': 'It went on trying, and was ended.',
};

const LONGEST_REPLY = 300;

function describeEnding(record: JudgedRecord): string {
  const { outcome, endedFor } = record;
  switch (outcome.kind) {
    case 'replied':
      return `It reported ${describeReply(outcome, record)}.`;
    case 'broken':
      return outcome.problem;
    case 'ended':
      return ENDS[endedFor ?? 'unending retries'];
    case 'unknown':
      return record.traffic.exchanges.length === 0
        ? 'Nothing was sent.'
        : 'What it made of the answers is not known.';
  }
}

function describeReply(
  { reply }: Extract<ClientOutcome, { readonly kind: 'replied' }>,
  record: JudgedRecord,
): string {
  if (!reply.ok) {
    const { status, code, message } = reply.error;
    return `an error with status ${stringifyJson(status)}, code ${stringifyJson(code)} and message ${stringifyJson(message)}`;
  }
  if (Array.isArray(reply.value)) {
    return `a list of ${reply.value.length === 1 ? 'one entry' : `${reply.value.length} entries`}`;
  }
  const text = hideClientKey(stringifyJson(reply.value), record);
  return text.length > LONGEST_REPLY ? `${text.slice(0, LONGEST_REPLY)}…` : text;
}

function round(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
