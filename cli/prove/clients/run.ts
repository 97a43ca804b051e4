import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { countText } from '../../../contract/words/enumeration.ts';
import { SAMPLE_CLIENTS, type SampleClient } from '../../../fixtures/clients/index.ts';
import { SCENARIOS, sideBySide } from '../../../suites/certify/index.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { judgeClient } from '../../library/certify/judge-client.ts';
import { TOGETHER } from '../../library/certify/power.ts';
import { type Style, styleFor } from '../../../reports/index.ts';
import { textOutput } from '../../shared/output/text-output.ts';
import { EXIT_INTERRUPTED } from '../../shared/exit-codes.ts';
import { runWithProgress } from '../../shared/interruption.ts';
import { openProgress } from '../../shared/output/progress.ts';
import { matching } from '../../library/entries.ts';
import { packageVersion } from '../../library/version.ts';
import { optionName } from '../../library/option-name.ts';
import { readOptions, type Flags, type Surroundings } from '../../shared/options/option-rows.ts';
import { forOneReport } from '../../shared/options/shared-options.ts';
import { writeJsonValue } from '../../shared/output/written-files.ts';
import { PROVE_OPTIONS } from '../command.ts';

type Outcome = Awaited<ReturnType<typeof certify>>;

const OWN_OPTIONS = new Set(['clients', 'jobs', 'json', 'quiet', 'color']);
// Some are off by milliseconds, which a busy machine hides.
const CLIENTS_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
const SCENARIOS_AT_ONCE = 8;
const PATIENCE_SECONDS = 20;

/** Certifies every sample client and compares with its label; exit code 0 if all come out as labelled, else 1. */
export async function runProveClients(flags: Flags<string>, surroundings: Surroundings): Promise<number> {
  const idle = Object.keys(flags).find((name) => !OWN_OPTIONS.has(name));
  if (idle !== undefined) {
    throw new ConfigurationError(`${optionName(idle)} has no meaning beside --clients`);
  }
  const options = forOneReport(readOptions(PROVE_OPTIONS, flags, surroundings));
  const jobs = options.jobs ?? CLIENTS_AT_ONCE;
  const clients = selectClients(flags['clients']);
  const started = performance.now();
  const progress = openProgress({ quiet: options.quiet });
  const { note } = progress;
  const outcomes: Outcome[] = [];
  note(`Certifying ${countText(clients.length, 'client')}, ${jobs} at a time`);
  return runWithProgress(progress, 'Interrupted: ending the clients.', async (signal) => {
    await sideBySide(clients, jobs, signal, async (client) => {
      const outcome = await certify(client, signal);
      outcomes.push(outcome);
      const time = `${outcome.seconds.toFixed(1)} s`;
      note(
        outcome.isAsLabelled
          ? `as labelled: ${client.id} (${time})`
          : `wrong: ${client.id} (${time}): ${[outcome.found, ...outcome.wronglyFound].join('\n  ')}`,
      );
    });
    if (signal.aborted) {
      return EXIT_INTERRUPTED;
    }
    const ordered = clients.flatMap((client) => outcomes.filter((outcome) => outcome.client === client));
    const seconds = (performance.now() - started) / 1_000;
    const text = textOutput(options);
    text.write(render(ordered, seconds, styleFor(text.color)));
    if (options.json !== null) {
      await writeJsonValue(options.json, asValue(ordered));
    }
    return ordered.every(({ isAsLabelled }) => isAsLabelled) ? 0 : 1;
  });
}

/** @throws {ConfigurationError} if a pattern fits none, or a program that a client needs is missing */
function selectClients(pattern: Flags<string>[string]): readonly SampleClient[] {
  const clients =
    typeof pattern === 'string' ? matching('--clients', [pattern], SAMPLE_CLIENTS) : SAMPLE_CLIENTS;
  if (clients.some(({ command: [, file = ''] }) => !existsSync(file))) {
    throw new ConfigurationError(
      '--clients: the sample clients are in the repository of stockcheck, and not in the installed package; run npx stockcheck prove --clients in a clone',
    );
  }
  for (const program of new Set(clients.flatMap(({ requires }) => requires ?? []))) {
    if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined) {
      throw new ConfigurationError(`--clients: some clients need ${program}, which is not installed`);
    }
  }
  return clients;
}

async function certify(client: SampleClient, signal: AbortSignal) {
  const { command, driver: name } = client;
  const started = performance.now();
  const { report, records } = await judgeClient({
    command,
    driver: name,
    environment: process.env,
    scenarios: SCENARIOS,
    level: 'must',
    jobs: SCENARIOS_AT_ONCE,
    patienceSeconds: PATIENCE_SECONDS,
    host: '127.0.0.1',
    signal,
    finish: new AbortController().signal,
    listener: {},
  });
  const failed = report.requirements.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  const { expected, breaks } = client;
  const isBroken = breaks !== undefined && failed.includes(breaks);
  const shownBy = isBroken
    ? records.flatMap(({ scenario, judgement }) => (judgement.failed.includes(breaks) ? [scenario.id] : []))
    : [];
  return {
    client,
    found: report.verdict,
    /** What failed, each in a sentence, of a client with another verdict than its label says. */
    wronglyFound:
      report.verdict === expected
        ? []
        : report.requirements.flatMap(({ findings }) => findings.map(({ message }) => message)),
    /** Ids of the requirements that failed. */
    failed,
    // In one process, what goes wrong in one scenario may show in others.
    shownBy: isBroken && (shownBy.length === 0 || client.met === 'jsonl') ? [TOGETHER] : shownBy,
    isAsLabelled: report.verdict === expected && (breaks === undefined || isBroken),
    seconds: (performance.now() - started) / 1_000,
  };
}

function asValue(outcomes: readonly Outcome[]): object {
  return {
    schemaVersion: 1,
    kind: 'prove-clients',
    suite: { version: packageVersion(), specVersion: '1.0.0' },
    clients: outcomes.map(({ client: { id, title, expected, breaks }, found, failed, shownBy }) => ({
      id,
      title,
      expected,
      breaks: breaks ?? null,
      found,
      failed,
      shownBy,
    })),
  };
}

function render(outcomes: readonly Outcome[], seconds: number, paint: Style): string {
  const width = Math.max(...outcomes.map(({ client }) => client.id.length));
  const rows = outcomes.map(({ client, found, failed, isAsLabelled }) => {
    const sign = isAsLabelled ? paint('green', '✓') : paint('red', '✗');
    const label = isAsLabelled
      ? ''
      : ` (expected ${client.expected}${client.breaks === undefined ? '' : `, failing ${client.breaks}`})`;
    return `  ${sign} ${client.id.padEnd(width)}  ${found}${label}${failed.length === 0 ? '' : paint('dim', `  ${failed.join(', ')}`)}`;
  });
  const right = outcomes.filter(({ isAsLabelled }) => isAsLabelled).length;
  const figures = `${right} of ${outcomes.length} clients as labelled, ${seconds.toFixed(1)} s`;
  const last =
    right === outcomes.length
      ? paint('green', `✓ proven: ${figures}`)
      : paint('red', `✗ not proven: ${figures}`);
  return `${[...rows, '', last].join('\n')}\n`;
}
