import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { LATEST_SET, readRequirementSet, type RequirementSet } from '../../../contract/requirements/index.ts';
import type { Outcome } from '../../../contract/verdict.ts';
import type { CertifyReport } from '../../../reports/index.ts';
import type { CertifyListener } from '../../../suites/certify/index.ts';
import { guardedListener, type OnEvent } from '../guarded-listener.ts';
import { clientBaselineOf } from './baseline.ts';
import { type DriverName, clientPace, FEWEST_CLIENTS, judgeClient, MOST_CLIENTS } from './judge-client.ts';
import { selectScenarios } from './select-scenarios.ts';

/** What happens while a client is judged. */
export type CertifyEvent =
  /** With driver `none`, whoever sends the requests needs the address and the key. */
  | {
      readonly type: 'scenario-start';
      readonly scenario: string;
      readonly title: string;
      readonly baseUrl: string;
      readonly apiKey: string;
    }
  | {
      readonly type: 'scenario-end';
      readonly scenario: string;
      readonly outcome: Outcome;
      readonly durationSeconds: number;
    };

/** How `certify` judges. */
export interface CertifyCallOptions {
  /** `exec` starts the client for each scenario, `jsonl` once for all, `none` never; `exec` by default. */
  readonly driver?: DriverName;
  /** Scenarios, by id or by the requirements that they judge, as globs; all by default. */
  readonly only?: readonly string[];
  /** Failures that are known and accepted for now: the reason of each, by id of a requirement or scenario. */
  readonly expectedFailures?: Readonly<Record<string, string>>;
  /** The level up to which a requirement decides; `must` by default. */
  readonly level?: 'must' | 'should';
  /** The set of requirements that decides, such as `1.0`; the newest by default. What is newer is shown, unscored. */
  readonly requirements?: RequirementSet;
  /** Scenarios side by side; 8 by default, with driver `none` all. */
  readonly jobs?: number;
  /** Clients that are started together in the end, to measure how they come back, from 2 to 256; none by default. */
  readonly herd?: number;
  /** Silence after which a client is ended; 60 s by default, with driver `none` 15 s. */
  readonly patienceSeconds?: number;
  /** The address that the servers listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** What the client finds in its environment beside its order; that of this process by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Ends the scenarios that still wait, and judges what was seen; for driver `none`. */
  readonly finish?: AbortSignal;
  /** Ends the run and its clients. It returns the report of what it had judged. */
  readonly signal?: AbortSignal;
  readonly onEvent?: OnEvent<CertifyEvent>;
}

/**
 * Judges a client program, as `stockcheck certify` does: the reference server plays the service. It writes nothing to stdout
 * or stderr, and handles no signals.
 * @param command the program and its arguments; empty with driver `none`
 * @returns the report; its `verdict` is `certified`, `not-certified` or `inconclusive`
 * @throws {ConfigurationError} if an option is at fault, or the program cannot be started
 */
export async function certify(
  command: readonly string[],
  options: CertifyCallOptions = {},
): Promise<CertifyReport> {
  const { driver = 'exec', only = [], level = 'must', host = '127.0.0.1', signal, finish } = options;
  if ((driver === 'none') !== (command.length === 0)) {
    throw new ConfigurationError(
      driver === 'none'
        ? 'certify(): driver none starts nothing, so a command has no meaning'
        : 'certify(): command must hold the program and its arguments, such as ["node", "client.js"]',
    );
  }
  const { herd = null } = options;
  if (herd !== null && !(Number.isInteger(herd) && herd >= FEWEST_CLIENTS && herd <= MOST_CLIENTS)) {
    throw new ConfigurationError(
      `certify(): herd must be a whole number from ${FEWEST_CLIENTS} to ${MOST_CLIENTS}, not ${herd}`,
    );
  }
  if (herd !== null && driver === 'none') {
    throw new ConfigurationError('certify(): herd starts the client many times, which driver none does not');
  }
  const scenarios = selectScenarios(only, 'certify(): only');
  const { jobs = null, patienceSeconds = null } = options;
  const { report } = await judgeClient({
    command,
    driver,
    environment: { ...(options.environment ?? process.env) },
    scenarios,
    level,
    requirementSet: readRequirementSet('certify(): requirements', options.requirements ?? LATEST_SET),
    baseline: clientBaselineOf(options.expectedFailures ?? {}, 'certify(): expectedFailures'),
    herd,
    ...clientPace(driver, scenarios, { jobs, patienceSeconds }),
    host,
    finish: finish ?? new AbortController().signal,
    signal: signal ?? new AbortController().signal,
    listener: listenerOf(guardedListener(options.onEvent)),
  });
  return report;
}

function listenerOf(tell: OnEvent<CertifyEvent>): CertifyListener {
  return {
    onScenarioStart: ({ id, title }, { baseUrl, apiKey }) =>
      tell({ type: 'scenario-start', scenario: id, title, baseUrl, apiKey }),
    onScenarioEnd: ({ scenario, judgement, durationSeconds }) =>
      tell({ type: 'scenario-end', scenario: scenario.id, outcome: judgement.outcome, durationSeconds }),
  };
}
