import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readOptions } from '../shared/options/option-rows.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { readTrafficTarget } from '../shared/configuration/configuration.ts';
import { countText } from '../../contract/words/enumeration.ts';
import { messageOf } from '../../contract/error-text.ts';
import { startProcessGroup, tellExit } from '../../suites/certify/index.ts';
import { createRedactor } from '../../suites/target/index.ts';
import { watchTraffic, type Watch } from '../../suites/watch/index.ts';
import { redactReport } from '../library/reported-requirement.ts';
import { buildTrafficReport } from '../verify/traffic.ts';
import { nextSignal } from '../shared/interruption.ts';
import { listenProblem } from '../shared/failure.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';
import { stdoutClaims } from '../shared/output/text-output.ts';
import { WATCH_OPTIONS } from './command.ts';

/** What `stockcheck watch` was asked for, validated; `command` is the program to run, and empty if there is none. */
type WatchOptions = ReturnType<typeof readWatchOptions>;

/** @throws {ConfigurationError} that names the option or variable */
function readWatchOptions({ operands: command, flags, surroundings }: CommandCall) {
  const { upstream, ...given } = forOneReport(readOptions(WATCH_OPTIONS, flags, surroundings));
  if (upstream === null) {
    throw new ConfigurationError(
      '--upstream is missing: it names the base URL of the service whose traffic is to be judged, such as https://staging.example/v1',
    );
  }
  if (given.exclusive && given.sample < 1) {
    throw new ConfigurationError(
      '--exclusive has no place beside --sample: what is not judged is as if others did it',
    );
  }
  const { base, keys } = readTrafficTarget(upstream, flags, surroundings, '--upstream');
  return { ...given, base: base ?? upstream, keys, command };
}

/** Judges traffic until a signal, a time or the end of a program. @returns the exit code */
export async function runWatch(call: CommandCall): Promise<number> {
  const options = readWatchOptions(call);
  const { base, level, keys, baseline } = options;
  const startedAt = new Date();
  const started = performance.now();
  const redactor = createRedactor();
  const progress = openProgress({ quiet: options.quiet, plainLineEverySeconds: 60 });
  const interrupted = nextSignal();
  let watch: Watch;
  let program: ProgramEnd;
  try {
    watch = await open(options, redactor);
    progress.note(`Passing ${watch.url} on to ${base}. Press Ctrl-C to stop it.`);
    program = await followWatch(options, watch, progress, interrupted);
  } finally {
    progress.stop();
  }
  const { unseen, problem, silence, ...findings } = watch.findings();
  const nothing = findings.exchanges === 0 ? `No request of the traffic went to ${base}.` : null;
  const report = buildTrafficReport(findings, {
    base,
    keys,
    isExclusive: options.exclusive,
    level,
    requirementSet: options.requirements,
    baseline,
    startedAt,
    durationSeconds: (performance.now() - started) / 1000,
    unseen,
    problems: [problem, silence, program.problem, nothing].filter((one) => one !== null),
  });
  const exitCode = await finishRun(redactReport(report, redactor.redact), options, {});
  return exitCode === 0 ? program.exitCode : exitCode;
}

/** Shows what passes until the end, and closes the watch. */
async function followWatch(
  options: WatchOptions,
  watch: Watch,
  progress: Progress,
  interrupted: Promise<void>,
): Promise<ProgramEnd> {
  const shown = setInterval(() => showCounts(watch, progress), 1_000);
  try {
    return await untilTheEnd(options, watch, interrupted);
  } finally {
    clearInterval(shown);
    await watch.close();
  }
}

async function open(
  { ca, ...options }: WatchOptions,
  redactor: ReturnType<typeof createRedactor>,
): Promise<Watch> {
  const { base, keys, host, port, keepHost, insecure, sample, exclusive: isExclusive } = options;
  const place = { hostname: host, port, keepHost, insecure, certificateAuthority: ca };
  try {
    return await watchTraffic({ base, keys, redactor, sample, isExclusive, ...place });
  } catch (error) {
    throw new ConfigurationError(
      listenProblem(error, { option: '--port', port, host }) ??
        `--port ${port} on ${host} cannot be listened on: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

interface ProgramEnd {
  readonly exitCode: number;
  readonly problem: string | null;
}

const NO_PROGRAM: ProgramEnd = { exitCode: 0, problem: null };

/** Waits for whatever ends the watch first; a program that still runs then is ended. */
async function untilTheEnd(
  { command, for: seconds, ...output }: WatchOptions,
  { url }: Watch,
  interrupted: Promise<void>,
): Promise<ProgramEnd> {
  const over = new AbortController();
  const time =
    seconds === null
      ? []
      : [delay(seconds * 1000, undefined, { signal: over.signal }).catch(() => undefined)];
  const [file, ...parameters] = command;
  try {
    if (file === undefined) {
      await Promise.race([interrupted, ...time]);
      return NO_PROGRAM;
    }
    const out = stdoutClaims(output).length > 0 ? process.stderr : process.stdout;
    const group = await startProcessGroup({
      command: [file, ...parameters],
      environment: { ...process.env, STOCKCHECK_BASE_URL: url },
      stdin: 'ignore',
      onStdout: (chunk) => out.write(chunk),
      onStderr: (chunk) => process.stderr.write(chunk),
    });
    const exit = await Promise.race([interrupted, ...time, group.completed]);
    await group.end();
    if (exit === undefined || exit.code === 0) {
      return NO_PROGRAM;
    }
    return { exitCode: exit.code ?? 1, problem: `The program failed. ${tellExit(exit, '', '')}` };
  } finally {
    over.abort();
  }
}

function showCounts(watch: Watch, progress: Progress): void {
  const { exchanges, judgements } = watch.findings();
  const failed = judgements.filter(({ outcome }) => outcome === 'fail').length;
  progress.show(`${countText(exchanges, 'exchange')} judged, ${countText(failed, 'requirement')} failed`);
}
