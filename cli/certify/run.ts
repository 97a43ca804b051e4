import { countText } from '../../reports/index.ts';
import { historyOfClient } from '../library/certificate/attest.ts';
import { filesOfClient } from '../library/certificate/digests.ts';
import { withoutSigningKey } from '../shared/options/certificate-options.ts';
import { printList, writeRecords } from '../shared/output/written-files.ts';
import { readRepetition } from '../shared/output/repeat-line.ts';
import { CERTIFY_OPTIONS, REPEATED_CERTIFY_OPTIONS } from './command.ts';
import { readCertifyOptions, type CertifyOptions } from './options.ts';
import { showCertifyProgress } from './progress.ts';
import { certifyFreedoms, type FreedomsListener } from '../library/certify/freedoms.ts';
import { judgeClient } from '../library/certify/judge-client.ts';
import { listenProblem } from '../shared/failure.ts';
import { runWithProgress } from '../shared/interruption.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { readOptions } from '../shared/options/option-rows.ts';
import type { Progress } from '../shared/output/progress.ts';
import { openEventLog, withScenarioEvents } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { optionName } from '../library/option-name.ts';
import { selectScenarios } from '../library/certify/select-scenarios.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { ClientScenario } from '../../suites/certify/index.ts';

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
