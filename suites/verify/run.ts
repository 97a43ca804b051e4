import { SERVER_REQUIREMENTS, type RequirementId } from '../../contract/requirements/index.ts';
import {
  createRedactor,
  describeLosses,
  describeTarget,
  findForeignUse,
  findForeignWrites,
  idle,
  leaseOne,
  IDLE_MILLISECONDS,
  LONGEST_REAL_WAIT_SECONDS,
  openTarget,
  trackLiveness,
  withoutOthers,
  withTarget,
  type ConnectedTarget,
  type KnownTarget,
  type OpenedTarget,
  type Preflight,
  type PreflightFailure,
  type Redactor,
  type SeenOthers,
  type TargetConfig,
  type TranscriptRecorder,
  type TransportOptions,
} from '../target/index.ts';
import { doubtfulPlans, type Judgement, type ObservedValue } from '../oracle/index.ts';
import { openLeftRequests } from './budget.ts';
import type { CheckEnvironment } from './check-environment.ts';
import type { Check } from '../stimuli/index.ts';
import { judgeEnd } from './dropped-request.ts';
import type { Exploration } from './explorer/explore.ts';
import { afterEarlyEnd, endAtFailure, reportOnce, tellingFailures, type EarlyEnd } from './failures.ts';
import { openRepetitions } from './replay/fails-again.ts';
import { NOTHING_SHORTENED, shrinkFindings, type Shortening } from './replay/shrink-findings.ts';
import type { CheckSummary } from './perform-check.ts';
import { newTally, noteSpent, performPlan, type RunListener, type RunTally } from './perform-plan.ts';
import {
  describeNotExplored,
  EMPTY_PLAN,
  planRun,
  type PlannedRun,
  type PlanOptions,
  type RunPlan,
} from './plan-run.ts';
import { noteLeftOut } from './left-out.ts';

export interface RunOptions extends PlanOptions {
  readonly config: TargetConfig;
  readonly banWaitSeconds: number;
  readonly transport: TransportOptions;
  readonly headers: readonly (readonly [string, string])[];
  /** Words for a POSIX shell that curl lines need to reach the target as the run does; none by default. */
  readonly curlOptions?: readonly string[];
  /** What is asked for: of requirements that explain the same violation, it is broken first; by default any. */
  readonly asksFor?: (id: RequirementId) => boolean;
  /** The run ends as soon as one of these requirements has failed; by default it goes on. */
  readonly bail?: (id: RequirementId) => boolean;
  /**
   * The rank of a check that goes alone before the others, if keys are issued: the lowest first, the cheapest of a rank
   * first; `null` for the others, as for all by default.
   */
  readonly rankOf?: (check: Check) => number | null;
  /** Whether what takes many requests to show is made shorter on fresh keys; it is left as it is by default. */
  readonly shrinks?: boolean;
  /** Plans and announces, then stops before the target is asked anything. */
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly listener: RunListener;
  /** Learns the keys of the run; by default the run has one of its own. */
  readonly redactor?: Redactor;
  /** Keeps what the oracle is told, so that it can be judged again; nothing is kept by default. */
  readonly transcript?: TranscriptRecorder;
}

export interface RunResult {
  readonly preflight: Preflight | { readonly state: 'planned' };
  readonly plan: RunPlan;
  readonly judgements: readonly Judgement[];
  readonly observations: Readonly<Record<string, ObservedValue | readonly string[]>>;
  readonly checks: readonly CheckSummary[];
  /** Why a check was not carried out to its end, by its id. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** `null` if nothing was explored. */
  readonly exploration: ExplorationResult | null;
  readonly spent: { readonly total: number; readonly byKey: Readonly<Record<string, number>> };
  /** Milliseconds of the responses to requests that no other was under way with. */
  readonly responseTimes: readonly number[];
  readonly problems: readonly string[];
  readonly interrupted: boolean;
  /** Whether the target answered nothing any more, so that the run ended early. */
  readonly stopped: boolean;
  /** Whether the run ended early at a failure, as `bail` asks. */
  readonly bailed: boolean;
  /** Whether nothing that it changed is left so. */
  readonly isRestored: boolean;
  readonly startedAt: Date;
  readonly durationSeconds: number;
}

/** A run under way. */
interface Run {
  readonly options: RunOptions;
  readonly listener: RunListener;
  readonly target: KnownTarget;
  readonly tally: RunTally;
  /** Aborts once the target answers nothing any more. */
  readonly gone: AbortController;
  readonly earlyEnd: EarlyEnd;
  /** Milliseconds of `performance.now()`. */
  readonly started: number;
  plan: RunPlan;
  readonly others: SeenOthers[];
  exploration: ExplorationResult | null;
  isRestored: boolean;
  hasLostAnswers: boolean;
}

/** What an exploration came to, and what of it was shown again. */
export interface ExplorationResult extends Omit<Exploration, 'found'> {
  /** Requests of making shorter what was found. */
  readonly shrinking: number;
  readonly found: readonly {
    readonly id: RequirementId;
    /** Requests of the shortest sequence that showed it. */
    readonly requests: number;
    /** Whether it showed again; `null` if nobody tried. */
    readonly isRepeated: boolean | null;
  }[];
}

/** Runs the suite against one target. The only errors it throws are faults of the suite itself. */
export async function runSuite(options: RunOptions): Promise<RunResult> {
  const startedAt = new Date();
  const run = beginRun(options);
  const { target, tally, others } = run;
  const preflight = await withTarget(target, (connected) => carryOut(run, connected)).catch(
    (error: unknown): PreflightFailure => {
      if (options.signal.aborted && tally.summaries.length === 0) {
        return { state: 'interrupted', message: 'It was interrupted before it had judged anything.' };
      }
      throw error;
    },
  );
  const { judgements } = target;
  const disturbances = [
    ...(run.hasLostAnswers ? ['answers got lost'] : []),
    ...(others.length > 0 ? ['somebody else used the keys or wrote to the inventory'] : []),
  ];
  noteLeftOut({ config: options.config, asksFor: options.asksFor, judgements, disturbances }, tally);
  return {
    preflight,
    plan: run.plan,
    judgements: judgementsOf(run),
    observations: target.judgements.observations(),
    checks: tally.summaries,
    leftOut: new Map([
      ...tally.leftOut.map(({ check, reason }) => [check.id, reason] as const),
      ...tally.summaries.flatMap(({ check: { id }, problem }) =>
        problem === null ? [] : [[id, target.redactor.redact(problem)] as const],
      ),
    ]),
    exploration: run.exploration,
    spent: {
      total: [...tally.spent.values()].reduce((sum, count) => sum + count, 0),
      byKey: Object.fromEntries(tally.spent),
    },
    responseTimes: tally.responseTimes,
    problems: [
      ...(run.plan.notExplored === null ? [] : [describeNotExplored(run.plan.notExplored)]),
      ...doubtfulPlans(target.keys),
      ...others.flatMap(({ described }) => described),
      ...target.problems,
    ],
    interrupted: options.signal.aborted,
    stopped: run.gone.signal.aborted,
    bailed: run.earlyEnd.signal.aborted,
    isRestored: run.isRestored,
    startedAt,
    durationSeconds: (performance.now() - run.started) / 1000,
  };
}

function beginRun(options: RunOptions): Run {
  const started = performance.now();
  const gone = new AbortController();
  const { bail, asksFor } = options;
  const hasFailed = (id: RequirementId): boolean =>
    target.judgements.judgementOf(id, asksFor).outcome === 'fail';
  const earlyEnd = endAtFailure(() =>
    SERVER_REQUIREMENTS.some(({ id }) => bail?.(id) === true && hasFailed(id)),
  );
  const redactor = options.redactor ?? createRedactor();
  const onNotice = (notice: string): void => options.listener.onNotice?.(redactor.redact(notice));
  const target = describeTarget({
    config: options.config,
    transport: options.transport,
    headers: options.headers,
    signal: AbortSignal.any([options.signal, earlyEnd.signal]),
    gone: gone.signal,
    isDryRun: options.dryRun,
    longestWaitSeconds: Math.max(LONGEST_REAL_WAIT_SECONDS, options.banWaitSeconds + 5),
    problems: [],
    onNotice,
    redactor,
    ...(options.transcript === undefined ? {} : { transcript: options.transcript }),
  });
  const report = reportOnce((failure) =>
    options.listener.onFailure?.({ ...failure, message: redactor.redact(failure.message) }),
  );
  const judgements = tellingFailures(target.judgements, (id, finding) => {
    report(id, finding);
    earlyEnd.noteFailure();
  });
  return {
    options,
    listener: options.listener,
    target: { ...target, judgements },
    tally: newTally(),
    gone,
    earlyEnd,
    started,
    plan: EMPTY_PLAN,
    others: [],
    exploration: null,
    isRestored: true,
    hasLostAnswers: false,
  };
}

// What takes longer waited for a key, and does not disturb another run for that long.
const LONGEST_REPETITION_MILLISECONDS = 2_000;

/** Plans the run, opens the target, performs the checks, and puts back what they changed. */
async function carryOut(run: Run, target: ConnectedTarget): Promise<RunResult['preflight']> {
  const { options, listener, tally } = run;
  const planned = planRun(options, target);
  run.plan = planned.plan;
  tally.leftOut.push(...planned.plan.skipped);
  listener.onPlan?.(planned.plan);
  if (options.dryRun) {
    return { state: 'planned' };
  }
  const opened = await openTarget(target, openingOf(run, target, planned));
  if (opened.state !== 'opened') {
    return opened;
  }
  const { banWaitSeconds, rankOf = () => null } = options;
  run.earlyEnd.checksBegin();
  const { environment, exploration } = await performPlan(opened, planned, {
    tally,
    listener,
    banWaitSeconds,
    rankOf,
    startedAt: run.started,
  });
  await findOthers(run, opened, environment);
  let shortening = NOTHING_SHORTENED;
  if (options.shrinks === true) {
    shortening = await shrinkFindings(opened, environment, judgementsOf(run), {
      ...openLeftRequests(planned.plan.budget, tally.spent, (label) => noteSpent(tally, label)),
      onShortening: listener.onShortening ?? (() => {}),
      seen: new Set(exploration?.found.map(({ id }) => id)),
    });
  }
  const end = { client: afterEarlyEnd(opened.client, options.signal), connect: environment.connect };
  // What was sent to pets of its own is not told any more from what was sent to none.
  if (opened.inventory.isReplaced) {
    await judgeEnd(end);
  }
  run.isRestored = await opened.inventory.restore();
  // Restoring single pets gives a target that is away some time to come back.
  await judgeEnd(end);
  const isOpen = judgementsOf(run).some(({ outcome }) => outcome === 'inconclusive');
  run.hasLostAnswers = opened.client.losses.recovered > 0;
  opened.problems.push(...describeLosses(opened.client.losses, isOpen));
  run.exploration = exploration === null ? null : withShortening(exploration, shortening, judgementsOf(run));
  return opened.first;
}

/** What was found and nothing else explains, with the fewest requests that showed it again. */
function withShortening(
  exploration: Exploration,
  { requests: shrinking, shown }: Shortening,
  judgements: readonly Judgement[],
): ExplorationResult {
  const failed = new Set(judgements.flatMap(({ id, outcome }) => (outcome === 'fail' ? [id] : [])));
  const own = exploration.found.filter(({ id }) => failed.has(id));
  const found = own.map(({ id, requests }) => {
    const again = shown.get(id);
    return { id, requests: again ?? requests, isRepeated: again === undefined ? null : again !== null };
  });
  return { ...exploration, shrinking, found };
}

/** Finds out whether somebody else explains what failed: uses the same keys, or writes to the same inventory. */
async function findOthers(run: Run, opened: OpenedTarget, environment: CheckEnvironment): Promise<void> {
  const { options, tally, plan } = run;
  const client = run.earlyEnd.signal.aborted ? afterEarlyEnd(opened.client, options.signal) : opened.client;
  const target = { ...opened, client };
  const failed = judgementsOf(run);
  run.others.push(...(await findForeignUse(target, failed, () => idle(client))));
  // What was filled by this run is its own.
  if (opened.inventory.isReplaced) {
    return;
  }
  const left = openLeftRequests(plan.budget, tally.spent, (label) => noteSpent(tally, label));
  const failsAgain = openRepetitions(opened, { ...environment, client }, failed, left);
  let took = 0;
  const writers = await findForeignWrites(target, failed, {
    // At no fixed moment, so that two runs that began together do not go on disturbing each other.
    pause: () => idle(client, IDLE_MILLISECONDS / 2 + Math.random() * Math.max(IDLE_MILLISECONDS, 8 * took)),
    failsAgain: async () => {
      const began = performance.now();
      const fails = await failsAgain();
      took = Math.min(performance.now() - began, LONGEST_REPETITION_MILLISECONDS);
      return fails;
    },
  });
  run.others.push(...writers);
}

/** How the target is opened: requests that belong to no check are counted, but held back by no budget. */
function openingOf(
  { options, tally, gone }: Run,
  { config, transport, issuedKeys, problems, onNotice }: ConnectedTarget,
  { plan, leases }: PlannedRun,
): Parameters<typeof openTarget>[1] {
  return {
    leases,
    writes:
      plan.exploration !== null ||
      plan.checks.some(({ needs }) => (needs.pets ?? 0) > 0 || needs.control?.includes('inventory') === true),
    needsService: false,
    client: {
      spend: (label) => noteSpent(tally, label),
      noteResponseTime: (milliseconds) => tally.responseTimes.push(milliseconds),
      curl: { control: issuedKeys === null ? null : config.control, options: options.curlOptions ?? [] },
      liveness: trackLiveness({
        transport,
        spend: () => noteSpent(tally, null),
        end: (reason) => {
          problems.push(reason);
          onNotice(reason);
          gone.abort(new Error(reason));
        },
        issueKey:
          issuedKeys === null ? null : () => leaseOne(issuedKeys, { plan: 'any', use: 'share', requests: 1 }),
      }),
    },
  };
}

function judgementsOf({ options, target, others }: Run): readonly Judgement[] {
  return SERVER_REQUIREMENTS.map(({ id }) =>
    withoutOthers(target.judgements.judgementOf(id, options.asksFor), others),
  );
}
