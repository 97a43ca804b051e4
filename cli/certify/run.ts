import { countText, printableLine } from '../../reports/index.ts';
import { historyOfClient } from '../library/certificate/attest.ts';
import { filesOfClient } from '../library/certificate/digests.ts';
import {
  withoutSigningKey,
  readCertificateOrder,
  type CertificateOrder,
} from '../shared/options/certificate-options.ts';
import { printList, writeRecords } from '../shared/output/written-files.ts';
import { readRepetition } from '../shared/output/repeat-line.ts';
import { CERTIFY_OPTIONS, REPEATED_CERTIFY_OPTIONS } from './command.ts';
import { certifyFreedoms, type FreedomsListener } from '../library/certify/freedoms.ts';
import { judgeClient, clientPace } from '../library/certify/judge-client.ts';
import { listenProblem } from '../shared/failure.ts';
import { runWithProgress } from '../shared/interruption.ts';
import type { CommandCall } from '../shared/options/command.ts';
import {
  readOptions,
  type Flags,
  type OptionValues,
  type Surroundings,
} from '../shared/options/option-rows.ts';
import { type Progress, MESSAGE_LIMIT, namesOf, openProgress } from '../shared/output/progress.ts';
import { openEventLog, withScenarioEvents } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { optionName } from '../library/option-name.ts';
import { selectScenarios } from '../library/certify/select-scenarios.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { type ClientScenario, requestOfTask, type CertifyListener } from '../../suites/certify/index.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import { refuseFirst } from '../shared/options/values.ts';

/** Runs a client through the scenarios, and returns the exit code. */
export async function runCertify({ operands, flags, words, surroundings }: CommandCall): Promise<number> {
  if (flags['list'] === true) {
    const { only, json } = readOptions(CERTIFY_OPTIONS, flags, surroundings);
    const scenarios = selectScenarios(only, '--only');
    await printList(json, listScenarios(scenarios), scenariosValue(scenarios));
    return 0;
  }
  refuseOwnOptions(operands, words);
  const options = readCertifyOptions(operands, flags, surroundings);
  const repetition = readRepetition('certify', undefined, REPEATED_CERTIFY_OPTIONS, flags);
  const { driver, scenarios, quiet } = options;
  const isManual = driver === 'none';
  const progress = showCertifyProgress({ total: scenarios.length, quiet, announces: isManual });
  const finish = new AbortController();
  const beforeInterruption = (): void => {
    progress.note('Finished: judging what was sent. Press Ctrl-C again to leave without a verdict.');
    finish.abort();
  };
  const judge = async (signal: AbortSignal): Promise<number> => {
    const events = openEventLog(options.events);
    progress.note(announcement(options));
    events.emit({ event: 'run-start', command: 'certify' });
    const order = {
      ...options,
      requirementSet: options.requirements,
      environment: withoutSigningKey(process.env),
      repetition,
      signal,
      finish: finish.signal,
      listener: withScenarioEvents(progress, events),
    };
    const {
      report: judged,
      interrupted,
      records,
    } = await judgeClient(order).catch((error: unknown) => {
      throw listeningFailed(error, options.host);
    });
    const report =
      options.freedoms && !interrupted
        ? { ...judged, freedoms: await certifyFreedoms(order, judged, freedomsProgress(progress)) }
        : judged;
    progress.stop();
    const isCutShort = interrupted || signal.aborted;
    const exitCode = await finishRun(report, options, { interrupted: isCutShort, events });
    await writeRecords(options, isCutShort, {
      report,
      history: () => historyOfClient(report, records),
      artifacts: filesOfClient(options.command, {
        directory: process.cwd(),
        path: process.env['PATH'] ?? '',
      }),
    });
    return exitCode;
  };
  return runWithProgress(
    progress,
    'Interrupted: ending the client. Press Ctrl-C again to leave at once.',
    judge,
    isManual ? beforeInterruption : undefined,
  );
}

/** Names the option if its address is why no server could be started. */
function listeningFailed(error: unknown, host: string): unknown {
  const problem = listenProblem(error, { option: '--host', port: 0, host });
  return problem === undefined ? error : new ConfigurationError(problem, { cause: error });
}

/**
 * Without --, an option of certify behind the client's program may be meant for either.
 * @throws {ConfigurationError} that names it
 */
function refuseOwnOptions(command: readonly string[], words: readonly string[]): void {
  const isSeparated = words.at(-command.length - 1) === '--';
  const own = new Set(['-h', '--help', '--no-color', ...Object.keys(CERTIFY_OPTIONS).map(optionName)]);
  const option = command
    .slice(1)
    .map((word) => word.replace(/=[^]*/, ''))
    .find((word) => own.has(word));
  if (!isSeparated && option !== undefined) {
    throw new ConfigurationError(
      `${option} may be meant for stockcheck or for ${command[0]}: options of stockcheck come first, then --, then the client, as in stockcheck certify --quiet -- node client.js`,
    );
  }
}

/** The client scenarios, a line each. */
function listScenarios(scenarios: readonly ClientScenario[]): string {
  const width = Math.max(...scenarios.map(({ id }) => id.length));
  return scenarios.map(({ id, title }) => `${id.padEnd(width)}  ${title}\n`).join('');
}

/** The client scenarios and what they judge. */
function scenariosValue(scenarios: readonly ClientScenario[]): object {
  const rows = scenarios.map(({ id, title, judges }) => ({ id, title, judges }));
  return { schemaVersion: 1, kind: 'client-scenarios', scenarios: rows };
}

/** Says how often the client runs again, and how far that is. */
function freedomsProgress({ note, show }: Pick<Progress, 'note' | 'show'>): FreedomsListener {
  let total = 0;
  let done = 0;
  note('Looking which scenarios each choice that services may make would change');
  return {
    onPlan: (runs) => {
      total = runs;
      note(`Playing ${countText(runs, 'scenario')} with another choice each`);
    },
    onRun: () => {
      done += 1;
      show(`${done} of ${total} scenarios with another choice done`);
    },
  };
}

function announcement({ driver, scenarios, jobs }: CertifyOptions): string {
  return driver === 'none'
    ? `Send each of these requests (${scenarios.length}) with your client, in any order; Ctrl-C ends and judges.`
    : `Running ${countText(scenarios.length, 'scenario')}, ${jobs} side by side`;
}

/**
 * Shows how far the scenarios are.
 * @param announces whether somebody has to be told what to send where, even with `--quiet`
 */
function showCertifyProgress({
  total,
  quiet,
  announces,
}: {
  readonly total: number;
  readonly quiet: boolean;
  readonly announces: boolean;
}): Progress & CertifyListener {
  const progress = openProgress({ quiet });
  const running = new Set<string>();
  let done = 0;

  const note = (text: string): void => {
    if (quiet && announces) {
      process.stderr.write(`${text}\n`);
    } else {
      progress.note(text);
    }
  };
  const refresh = (): void => {
    progress.show(`${done} of ${total} scenarios done · `, ...namesOf(running));
  };

  return {
    ...progress,
    note,
    onScenarioStart: (scenario, { baseUrl, apiKey }) => {
      running.add(scenario.id);
      if (announces) {
        note(`${scenario.id}: ${scenario.title}`);
        const { method, path, content } = requestOfTask(scenario.task);
        note(`  ${method} ${baseUrl}${path}${content === null ? '' : ` with ${content}`}`);
        note(`  Authorization: Bearer ${apiKey}`);
      }
      refresh();
    },
    onHerd: (clients) => progress.note(`Starting ${clients} clients at once, and refusing them together`),
    onScenarioEnd: ({ scenario, durationSeconds, judgement }) => {
      running.delete(scenario.id);
      done += 1;
      const [first] = judgement.failures;
      if (first !== undefined) {
        progress.note(`✗ ${scenario.id}: ${printableLine(first, MESSAGE_LIMIT)}`);
      }
      if (!progress.isInteractive) {
        progress.note(`done: ${scenario.id} (${durationSeconds.toFixed(1)} s, ${judgement.outcome})`);
      }
      refresh();
    },
  };
}

/** What `stockcheck certify` was asked for, validated. */
type CertifyOptions = Omit<
  OptionValues<typeof CERTIFY_OPTIONS>,
  'only' | 'config' | 'jobs' | 'patience' | 'certificate' | 'certificateKey'
> & {
  /** `null` if no certificate is asked for. */
  readonly certificate: CertificateOrder | null;
  /** The program and its arguments; empty with driver none. */
  readonly command: readonly string[];
  readonly scenarios: readonly ClientScenario[];
  readonly jobs: number;
  readonly jobsAgain: number;
  readonly patienceSeconds: number;
};

/** The options of `certify` as the parser of the command line returns them. */
type CertifyFlags = Flags<keyof typeof CERTIFY_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
function readCertifyOptions(
  command: readonly string[],
  flags: CertifyFlags,
  surroundings: Surroundings,
): CertifyOptions {
  const { only, jobs, patience, certificate, certificateKey, ...given } = forOneReport(
    readOptions(CERTIFY_OPTIONS, flags, surroundings),
  );
  const { driver } = given;
  const isManual = driver === 'none';
  refuseFirst([
    [
      isManual && command.length > 0,
      `--driver none starts nothing, so ${JSON.stringify(command[0])} has no meaning`,
    ],
    [
      !isManual && command.length === 0,
      'CMD is missing: give the program to certify after --, as in stockcheck certify -- node client.js, or --driver none',
    ],
    [isManual && jobs !== null, '--jobs has no meaning with --driver none: all scenarios wait at once'],
    [isManual && given.freedoms, '--freedoms runs the client many times, so it needs --driver exec or jsonl'],
    [
      isManual && given.herd !== null,
      '--herd starts the client many times, so it needs --driver exec or jsonl',
    ],
    [
      certificate !== null && given.herd !== null,
      '--certificate has no place beside --herd: what many clients did together cannot be judged again. Run each by itself.',
    ],
    [
      given.history !== null && given.herd !== null,
      '--history has no place beside --herd: it tells what one client did. Run each by itself.',
    ],
  ]);
  const scenarios = selectScenarios(only, '--only');
  return {
    ...given,
    certificate: readCertificateOrder({ certificate, certificateKey }, surroundings),
    command,
    scenarios,
    ...clientPace(driver, scenarios, { jobs, patienceSeconds: patience }),
  };
}
