import { availableParallelism, arch, cpus, release, type } from 'node:os';

import { countText } from '../../contract/words/enumeration.ts';
import {
  announcedRequests,
  parametersLine,
  type ConnectedFleet,
  type LoadRunListener,
} from '../../load/index.ts';
import { recordTranscript } from '../../suites/target/index.ts';
import { startEmbeddedServer } from '../library/embedded/embedded-target.ts';
import { transcriptEnd, transcriptHeader } from '../library/certificate/transcript-header.ts';
import { runWithProgress } from '../shared/interruption.ts';
import { openEventLog, withLoadEvents } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { warnOfVariables } from '../shared/configuration/configuration.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { readOptions } from '../shared/options/option-rows.ts';
import { printList, writeHistory } from '../shared/output/written-files.ts';
import { listLoadScenarios, loadScenariosValue } from '../library/load/plan-scenarios.ts';
import { LOAD_OPTIONS } from './command.ts';
import { joinFleet, readLoadOptions, type LoadOptions } from './load-options.ts';
import { measureTarget } from '../library/load/measure-target.ts';
import { textOutput, warn } from '../shared/output/text-output.ts';
import { withoutPassword } from '../shared/options/values.ts';
import { transportOf } from '../shared/options/shared-options.ts';
import type { LoadEnvironment } from '../../reports/index.ts';
import type { LoadScenarioResult, LoadSecond } from '../../contract/load-result.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';

const INTERRUPTION =
  'Interrupted: keeping what was measured, restoring what was changed. Press Ctrl-C again to quit at once.';

/** Loads a target, or the embedded reference server, and returns the exit code. */
export async function runLoadCommand({
  operands: [target],
  flags,
  words,
  surroundings,
}: CommandCall): Promise<number> {
  if (flags['list'] === true) {
    const { json } = readOptions(LOAD_OPTIONS, flags, surroundings);
    await printList(json, listLoadScenarios(), loadScenariosValue());
    return 0;
  }
  warnOfVariables(flags, surroundings);
  const options = readLoadOptions(target, flags, surroundings);
  const { scenarios, quiet } = options;
  if (options.dryRun) {
    textOutput(options).write(`${describePlan(options)}\n`);
    return 0;
  }
  const progress = showLoadProgress({ quiet, scenarios: scenarios.map(({ scenario }) => scenario.id) });
  warn(options.warnings);
  return runWithProgress(progress, INTERRUPTION, async (signal) => {
    const { config, close } =
      options.config === null
        ? await startEmbeddedServer(options.profile)
        : { config: options.config, close: async () => undefined };
    let fleet: ConnectedFleet | null = null;
    try {
      progress.note(describePlan(options));
      if (options.fleet !== null) {
        fleet = await joinFleet(options.fleet, scenarios, signal);
        const { size, workers } = fleet;
        progress.note(`Fleet of ${size} of ${countText(workers.length, 'worker')}: ${workers.join(', ')}`);
      }
      const events = openEventLog(options.events);
      events.emit({ event: 'run-start', command: 'load' });
      const transcript = options.history === null ? undefined : recordTranscript();
      const { report, interrupted } = await measureTarget({
        config,
        embedded: options.config === null,
        scenarios,
        transport: transportOf(options),
        headers: options.header,
        signal,
        listener: withLoadEvents(progress, events),
        fleet,
        ...(transcript === undefined ? {} : { transcript }),
        level: options.level,
        requirementSet: options.requirements,
        environment: describeLoadEnvironment(words),
      });
      progress.stop();
      const exitCode = await finishRun(report, options, { interrupted, events });
      if (transcript !== undefined && options.history !== null) {
        const file = await transcript.finish(transcriptHeader({ report }), transcriptEnd({ report }));
        await writeHistory(options.history, file, options);
      }
      return exitCode;
    } finally {
      await fleet?.close();
      await close();
    }
  });
}

/** Rates and budget of a run, before it starts. */
function describePlan({ scenarios: all, config, profile }: LoadOptions): string {
  const target = config?.target ?? 'the embedded reference server';
  const isSafe = (config?.profile ?? profile) === 'safe';
  const scenarios = all.filter(({ scenario }) => !isSafe || scenario.writes !== true);
  const leftOut = all.filter((planned) => !scenarios.includes(planned));
  return [
    `Load on ${target}: at most ${countText(announcedRequests(scenarios), 'request')} in ${countText(scenarios.length, 'scenario')}`,
    ...scenarios.map(({ scenario, parameters, thresholds }) => {
      const given = parametersLine(scenario, parameters);
      const judged = thresholds.map(({ expression }) => expression).join(', ');
      return `  ${scenario.id}: ${given}${judged === '' ? '' : `; ${judged}`}; at most ${countText(scenario.announce(parameters), 'request')}${scenario.mayBan === true ? ', a ban risked on keys issued or given for it' : ''}`;
    }),
    ...leftOut.map(
      ({ scenario }) => `  ${scenario.id}: left out, since profile safe only reads and exhausts no limit`,
    ),
  ].join('\n');
}

const HIDDEN = '…';

/** What stands for the value of an option that may hold a secret. */
const MASKS: Readonly<Record<string, (value: string) => string>> = {
  '--key': (value) => `${/^[a-z]+=/.exec(value)?.[0] ?? ''}${HIDDEN}`,
  '--revoked-key': () => HIDDEN,
  '--header': (value) => `${/^[^:]*: ?/.exec(value)?.[0] ?? ''}${HIDDEN}`,
  '--fleet': withoutPassword,
};

/** This machine, and the command line without its secrets. */
export function describeLoadEnvironment(words: readonly string[]): LoadEnvironment {
  return {
    processor: cpus()[0]?.model.trim() || `unknown ${arch()} processor`,
    cores: availableParallelism(),
    node: process.versions.node,
    system: `${type()} ${release()} ${arch()}`,
    command: ['stockcheck', ...withoutSecrets(words)],
  };
}

/** The words of a command line, with what may be a secret hidden; `--option value` and `--option=value` alike. */
export function withoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const mask = MASKS[words[index - 1] ?? ''];
    if (mask !== undefined) {
      return mask(word);
    }
    const [, option = '', value = ''] = /^(--[a-z-]+)=([^]*)$/.exec(word) ?? [];
    const inner = MASKS[option];
    return inner === undefined ? word : `${option}=${inner(value)}`;
  });
}

const PLAIN_LINE_EVERY_SECONDS = 2;

/**
 * Shows which scenario runs, in which phase, and what its last second was like.
 * @param scenarios their ids, in order
 */
function showLoadProgress({
  quiet,
  scenarios,
}: {
  readonly quiet: boolean;
  readonly scenarios: readonly string[];
}): Progress & LoadRunListener {
  const progress = openProgress({ quiet, plainLineEverySeconds: PLAIN_LINE_EVERY_SECONDS });
  let current = '';
  let phase = '';
  let phaseEndsAt = 0;
  let done = 0;

  return {
    ...progress,
    onNotice: progress.note,
    onScenarioStart: ({ scenario, parameters }, announced) => {
      current = scenario.id;
      phase = '';
      const given = parametersLine(scenario, parameters);
      progress.note(
        `${scenario.id}: ${scenario.title} (${given}; at most ${countText(announced, 'request')})`,
      );
    },
    onPhase: (text, seconds) => {
      phase = text;
      phaseEndsAt = performance.now() + seconds * 1000;
      if (progress.isInteractive) {
        progress.show(`${current}: ${text}`);
      }
    },
    onSecond: (second) => {
      const left = Math.max(0, Math.ceil((phaseEndsAt - performance.now()) / 1000));
      const following = scenarios[done + 1];
      const next = following === undefined ? '' : `, next ${following}`;
      const head = `${current}${phase === '' ? '' : `, ${phase}`}: `;
      const toGo = left === 0 ? '' : `, ${left} s to go`;
      progress.show(head, describeSecond(second), `${toGo}${next}`);
    },
    onScenarioEnd: (result) => {
      done += 1;
      progress.note(
        `done: ${result.id} (${result.durationSeconds.toFixed(1)} s, ${describeOutcome(result)})`,
      );
    },
  };
}

function describeSecond({ scheduled, answered, lost, statuses, p50, p99 }: LoadSecond): string {
  const classes = Object.entries(statuses).map(([name, count]) => `${name} ${count}`);
  const times = p50 === null || p99 === null ? [] : [`p50 ${p50.toFixed(1)} ms`, `p99 ${p99.toFixed(1)} ms`];
  return [
    // Nothing is due while the last answers are waited for.
    scheduled === 0 ? `${answered}/s` : `${answered}/s of ${scheduled}/s`,
    ...times,
    ...classes,
    ...(lost === 0 ? [] : [`unanswered ${lost}`]),
  ].join(', ');
}

function describeOutcome({ outcome, spent, capacity }: LoadScenarioResult): string {
  const found = capacity === null ? '' : `, capacity ${Number(capacity.toFixed(1))}/s`;
  return `${outcome}, ${countText(spent, 'request')}${found}`;
}
