import { describeParameter, type LoadParameters } from '../contract/load-parameters.ts';
import type { LoadOutcome, LoadScenarioResult } from '../contract/load-result.ts';
import { requirement, SERVER_REQUIREMENTS } from '../contract/requirements/index.ts';
import { hyphenated } from '../contract/words/enumeration.ts';
import type { Finding } from '../contract/verdict.ts';
import type { TransportOptions, Redactor, TargetConfig, TranscriptRecorder } from '../suites/target/index.ts';
import type { Generators } from './shards/measure-in-shards.ts';
import {
  NotPossible,
  EMPTY_RESULT,
  type LoadScenario,
  type ScenarioListener,
  type ScenarioResult,
} from './scenario.ts';
import { withLoadSession, type LoadSession } from './session.ts';
import type { ThresholdRule } from './judging/threshold-expression.ts';
import { judgeThreshold } from './judging/thresholds.ts';
import { openLoadThreads, type LoadThreads } from './shards/load-threads.ts';

/** A scenario with the parameters and thresholds of this run. */
export interface PlannedScenario {
  readonly scenario: LoadScenario;
  readonly parameters: LoadParameters;
  readonly thresholds: readonly ThresholdRule[];
}

export interface LoadRunListener extends ScenarioListener {
  readonly onScenarioStart: (planned: PlannedScenario, announced: number) => void;
  readonly onScenarioEnd: (result: LoadScenarioResult) => void;
  readonly onNotice: (notice: string) => void;
}

export interface LoadRunOptions {
  readonly config: TargetConfig;
  readonly scenarios: readonly PlannedScenario[];
  readonly transport: TransportOptions;
  readonly headers: readonly (readonly [string, string])[];
  readonly signal: AbortSignal;
  readonly listener: LoadRunListener;
  /** Workers that share the load, or `null` if this process sends all of it. */
  readonly fleet: Generators | null;
  /** Learns the keys of the run; one of its own by default. */
  readonly redactor?: Redactor;
  /** Keeps all that was sent; nothing is kept by default. */
  readonly transcript?: TranscriptRecorder;
}

export type LoadRunResult = Awaited<ReturnType<typeof runLoad>>;

/** Requests that a run needs beside its scenarios: pre-flight, and restoring at the end. */
const OVERHEAD_REQUESTS = 32;

/** Requests that a run makes, at most. */
export function announcedRequests(scenarios: readonly PlannedScenario[]): number {
  return scenarios.reduce(
    (sum, { scenario, parameters }) => sum + scenario.announce(parameters),
    OVERHEAD_REQUESTS,
  );
}

/** Runs scenarios one after the other against one target. It throws only for faults of its own. */
export async function runLoad(options: LoadRunOptions) {
  const { signal } = options;
  const startedAt = new Date();
  const started = performance.now();
  const problems: string[] = [];
  const threads = openLoadThreads();
  try {
    const result = await runScenarios(options, threads, problems);
    return {
      ...result,
      problems,
      startedAt,
      durationSeconds: (performance.now() - started) / 1000,
      interrupted: signal.aborted,
    };
  } finally {
    await threads.close();
  }
}

function runScenarios(options: LoadRunOptions, threads: LoadThreads, problems: string[]) {
  const { scenarios, listener, signal, fleet } = options;
  return withLoadSession(
    {
      ...options,
      writes: scenarios.some(({ scenario, parameters }) => scenario.writes === true || parameters.writes > 0),
      problems,
      onNotice: listener.onNotice,
    },
    async (session) => {
      const results: LoadScenarioResult[] = [];
      for (const planned of scenarios) {
        if (signal.aborted || fleet?.lost.aborted === true) {
          problems.push(`${planned.scenario.id} was not run, because the run had ended.`);
          continue;
        }
        listener.onScenarioStart(planned, planned.scenario.announce(planned.parameters));
        const done = await runScenario(session, planned, {
          ...options,
          generators: fleet ?? threadsFor(planned, threads),
        });
        results.push(done);
        listener.onScenarioEnd(done);
      }
      return {
        scenarios: results,
        judgements: SERVER_REQUIREMENTS.map(({ id }) => session.judgementOf(id)),
        observations: session.judgements.observations(),
      };
    },
  );
}

function threadsFor({ parameters }: PlannedScenario, threads: LoadThreads): Generators | null {
  return parameters.threads > 1 ? threads.generators(parameters.threads) : null;
}

async function runScenario(
  session: LoadSession,
  { scenario, parameters, thresholds }: PlannedScenario,
  {
    signal: interruption,
    listener,
    generators,
  }: Pick<LoadRunOptions, 'signal' | 'listener'> & { readonly generators: Generators | null },
): Promise<LoadScenarioResult> {
  const started = performance.now();
  const signal = generators === null ? interruption : AbortSignal.any([interruption, generators.lost]);
  const announced = scenario.announce(parameters);
  const spentBefore = session.spent();
  const known = new Set(violations(session).map(({ message }) => message));
  let sent = 0;
  const left = (): number => announced - sent - session.spent() + spentBefore;
  let result: ScenarioResult = EMPTY_RESULT;
  let skipped: string | null = null;
  let interrupted: string | null = null;
  try {
    result = await scenario.run({
      session,
      parameters,
      thresholds,
      signal,
      listener,
      spend: (requests = 1) => {
        sent += requests;
        return left() > 0;
      },
      left,
      generators,
    });
  } catch (error) {
    if (error instanceof NotPossible) {
      skipped = error.message;
    } else if (signal.aborted) {
      interrupted = 'The run was interrupted.';
    } else {
      throw error;
    }
  }
  const { inconclusive, isCapacityFloor: _, ...shown } = result;
  const judged = skipped === null ? thresholds.map((rule) => judgeThreshold(rule, result)) : [];
  const findings = violations(session).filter(({ message }) => !known.has(message));
  const invalid = result.measurements.flatMap(({ invalid }) => invalid);
  const isUndecided = judged.some(({ outcome, value }) => outcome === 'inconclusive' && value !== null);
  const reason =
    skipped ??
    lossOf(generators) ??
    interrupted ??
    inconclusive ??
    invalid[0] ??
    (isUndecided ? OWN_PART : null);
  return {
    id: scenario.id,
    title: scenario.title,
    parameters: describeParameters(scenario, parameters),
    outcome: outcomeOf(
      skipped !== null,
      findings.length > 0,
      judged.map(({ outcome }) => outcome),
      reason !== null,
    ),
    reason,
    thresholds: judged,
    findings,
    announced,
    spent: sent + session.spent() - spentBefore,
    durationSeconds: (performance.now() - started) / 1000,
    ...shown,
  };
}

const OWN_PART =
  'What crossed a threshold may be the doing of the generator or the ceiling of the rate, not of the target.';

/** Why generators cannot go on, or `null`. */
function lossOf(generators: Generators | null): string | null {
  return generators?.lost.reason instanceof Error ? generators.lost.reason.message : null;
}

function outcomeOf(
  isSkipped: boolean,
  isViolated: boolean,
  thresholds: readonly LoadOutcome[],
  isOpen: boolean,
): LoadOutcome {
  if (isSkipped) {
    return 'skipped';
  }
  if (isViolated || thresholds.includes('fail')) {
    return 'fail';
  }
  return isOpen || thresholds.includes('inconclusive') ? 'inconclusive' : 'pass';
}

/** Every violation of a MUST that is known so far, with its requirement in front. */
function violations({ judgementOf }: LoadSession): readonly Finding[] {
  return SERVER_REQUIREMENTS.flatMap(({ id }) => {
    const { outcome, findings } = judgementOf(id);
    return outcome === 'fail' && requirement(id).level === 'must'
      ? findings.map((finding): Finding =>
          Object.assign({}, finding, { message: `${id}: ${finding.message}` }),
        )
      : [];
  });
}

/** The parameters in one line of words. */
export function parametersLine(scenario: LoadScenario, parameters: LoadParameters): string {
  return Object.entries(describeParameters(scenario, parameters))
    .map(([name, text]) => `${hyphenated(name)} ${text}`)
    .join(', ');
}

/** The parameters in words, in the order in which the scenario names them. */
function describeParameters(
  { uses }: LoadScenario,
  parameters: LoadParameters,
): Readonly<Record<string, string>> {
  return Object.fromEntries(uses.map((name) => [name, describeParameter(name, parameters)]));
}
