import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { CONFIGURATION_FILE } from '../shared/configuration/configuration.ts';
import { commandLineSettings, profileIn } from '../shared/configuration/settings.ts';
import { readOptions, type Flags, type Surroundings } from '../shared/options/option-rows.ts';
import {
  checkedAddress,
  targetOf,
  variablesOf,
  type InitAnswers,
  readKeyVariables,
  explainLabels,
  describeAnswers,
} from './answers.ts';
import { INIT_OPTIONS } from './command.ts';
import { type GivenAnswers, interview } from './interview.ts';
import { enumeration } from '../../contract/words/enumeration.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { LATEST_SET } from '../../contract/requirements/index.ts';
import { isLoopback, targetWarnings, type TargetConfig } from '../../suites/target/index.ts';
import { packageVersion } from '../library/version.ts';
import { EXIT_CODES, EXIT_INTERRUPTED } from '../shared/exit-codes.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { Cancelled, UNATTENDED, type Dialogue } from './dialogue.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { PIPELINES, type Pipeline } from './pipelines.ts';
import { whyNoFile } from '../shared/files/option-paths.ts';
import { listedFailures, printableLine, reasonOf, type VerifyReport } from '../../reports/index.ts';
import { judgeTarget } from '../library/verify/judge-target.ts';
import { openProgress } from '../shared/output/progress.ts';

/** What `stockcheck init` was asked for, validated. `pipeline` is `null` if that is to be asked. */
type InitOptions = ReturnType<typeof readInitOptions>;

/** The options of `init` as the parser of the command line returns them. */
export type InitFlags = Flags<keyof typeof INIT_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
function readInitOptions(target: string | undefined, flags: InitFlags, surroundings: Surroundings) {
  const { keyVariable, pipeline, config, offline, force } = readOptions(INIT_OPTIONS, flags, surroundings);
  const { environment } = surroundings;
  const settings = commandLineSettings(target, flags);
  const given = (field: 'target' | 'control', named: string): string | null => {
    const address = settings.get(field)?.value;
    return typeof address === 'string' ? checkedAddress(field, address, environment, named) : null;
  };
  const answers: GivenAnswers = {
    target: given('target', 'TARGET'),
    control: given('control', '--control'),
    profile: profileIn(settings),
    keys: readKeyVariables(keyVariable, '--key-variable', { environment, isTried: !offline }),
  };
  return {
    given: answers,
    pipeline,
    configuration: config ?? CONFIGURATION_FILE,
    isTried: !offline,
    replaces: force,
    surroundings,
  };
}

/** Asks, tries the target and writes the files. @returns the exit code */
export async function runInit({
  operands: [target],
  flags,
  surroundings,
}: Omit<CommandCall, 'words'>): Promise<number> {
  const options = readInitOptions(target, flags, surroundings);
  return runInterruptibly(sayNothingWritten, async (signal) => {
    const dialogue = await openDialogue(signal);
    try {
      return await setUp(options, dialogue, signal);
    } catch (error) {
      if (error instanceof Cancelled && !signal.aborted) {
        sayNothingWritten();
        return EXIT_INTERRUPTED;
      }
      throw error;
    }
  });
}

function sayNothingWritten(): void {
  process.stderr.write('Nothing was written.\n');
}

async function openDialogue(signal: AbortSignal): Promise<Dialogue> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    return UNATTENDED;
  }
  const { openTerminalDialogue } = await import('./terminal-dialogue.ts');
  return openTerminalDialogue('stockcheck init', signal);
}

async function setUp(options: InitOptions, dialogue: Dialogue, signal: AbortSignal): Promise<number> {
  const { configuration, surroundings } = options;
  // What cannot be written is said before anything is asked.
  planFile(configuration, '', surroundings.directory);
  const answers = await settle(options, dialogue, signal);
  if (answers === null) {
    return EXIT_CODES.inconclusive;
  }
  const pipeline = await choosePipeline(options, dialogue);
  const files = [
    { path: configuration, text: configurationText(answers, surroundings.directory) },
    ...(pipeline === null
      ? []
      : [{ path: pipeline.path, text: pipeline.render(contextOf(answers, options)) }]),
  ].map(({ path, text }) => planFile(path, text, surroundings.directory));
  const [taken] = options.replaces ? [] : files.filter(isTaken);
  if (taken !== undefined) {
    throw new ConfigurationError(
      `${taken.path} is there already, and nothing was written; --force replaces it`,
    );
  }
  files.forEach(writePlanned);
  files.forEach(({ path }) => dialogue.tell('good', `Wrote ${path}`));
  nextSteps(answers, options, pipeline).forEach((line) => dialogue.tell('plain', line));
  return 0;
}

/** The answers with which the target could be judged; `null` if it could not. */
async function settle(
  { given, isTried, surroundings: { environment } }: InitOptions,
  dialogue: Dialogue,
  signal: AbortSignal,
): Promise<InitAnswers | null> {
  const answers = await interview(given, dialogue, { environment, isTried });
  if (!isTried) {
    return answers;
  }
  const target = targetOf(answers, environment);
  targetWarnings(target).forEach((warning) => dialogue.tell('bad', warning));
  const report = await tryTarget(target, signal);
  if (report === null) {
    throw new Cancelled();
  }
  const found = describeFound(report);
  const named = explainLabels(found.join('\n'), answers.keys);
  dialogue.tell(report.verdict === 'conformant' ? 'good' : 'bad', [...found, ...named].join('\n'));
  if (report.verdict === 'inconclusive') {
    dialogue.tell('bad', 'Nothing was written. With --offline, the target is not tried.');
    return null;
  }
  return answers;
}

async function choosePipeline({ pipeline }: InitOptions, dialogue: Dialogue): Promise<Pipeline | null> {
  const none = { value: 'none', label: 'None' };
  const systems = PIPELINES.map(({ id, title, path }) => ({ value: id, label: title, hint: path }));
  const id =
    pipeline ??
    (await dialogue.choose({
      message: 'Which pipeline shall run it?',
      option: '--pipeline',
      choices: [...systems, none],
      unattended: none.value,
    }));
  return PIPELINES.find((one) => one.id === id) ?? null;
}

function contextOf(answers: InitAnswers, { configuration }: InitOptions) {
  return {
    variables: variablesOf(answers),
    configuration: configuration === CONFIGURATION_FILE ? null : configuration,
    major: packageVersion().split('.')[0] ?? '0',
    requirementSet: LATEST_SET,
    isLocal: isLoopback(answers.target),
  };
}

function nextSteps(answers: InitAnswers, options: InitOptions, pipeline: Pipeline | null): readonly string[] {
  const named = options.configuration === CONFIGURATION_FILE ? '' : ` --config ${options.configuration}`;
  const variables = enumeration(variablesOf(answers));
  return [
    `Judge the service with: npx stockcheck verify${named}`,
    ...(pipeline === null || variables === ''
      ? []
      : [`${pipeline.title} needs ${variables}. ${pipeline.secrets}`]),
  ];
}

/** A file that is to be written; `path` is what messages call it. */
type PlannedFile = ReturnType<typeof planFile>;

/** The configuration as it is written, with the schema that editors check it with. */
function configurationText(answers: InitAnswers, directory: string): string {
  const described = { $schema: schemaAddress(directory), ...describeAnswers(answers) };
  return `${JSON.stringify(described, null, 2)}\n`;
}

/** The schema of the package if that is installed in the project, else the published one. */
function schemaAddress(directory: string): string {
  const name = join('node_modules', 'stockcheck', 'dist', 'config.schema.json');
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) {
      const path = relative(directory, join(folder, name)).replaceAll('\\', '/');
      return path.startsWith('.') ? path : `./${path}`;
    }
    if (dirname(folder) === folder) {
      return `https://unpkg.com/stockcheck@${packageVersion()}/dist/config.schema.json`;
    }
  }
}

/** @throws {ConfigurationError} if it cannot be written */
function planFile(path: string, text: string, directory: string) {
  const absolute = resolve(directory, path);
  const reason = whyNoFile(absolute);
  if (reason !== null) {
    throw new ConfigurationError(`${path} cannot be written: ${reason}`);
  }
  return { path, absolute, text };
}

/** Whether something else is there. */
function isTaken({ absolute, text }: PlannedFile): boolean {
  return existsSync(absolute) && readFileSync(absolute, 'utf8') !== text;
}

function writePlanned({ absolute, text }: PlannedFile): void {
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, text);
}

const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Judges a target with reads only, which changes nothing and uses up no limit.
 * @returns the report, or `null` if the run was interrupted
 */
async function tryTarget(config: TargetConfig, signal: AbortSignal): Promise<VerifyReport | null> {
  const progress = openProgress({ quiet: false });
  progress.show('Trying it in profile safe');
  try {
    const { report, interrupted } = await judgeTarget({
      config: { ...config, profile: 'safe' },
      selection: null,
      level: 'must',
      long: false,
      banWaitSeconds: 0,
      transport: { timeoutMilliseconds: TIMEOUT_MILLISECONDS, insecure: false, certificateAuthority: null },
      headers: [],
      signal,
      listener: {},
    });
    return interrupted ? null : report;
  } finally {
    progress.stop();
  }
}

const MOST_NAMED = 5;

/** What was found, in some lines: the verdict with its scope, and what failed or stands in the way. */
function describeFound(report: VerifyReport): readonly string[] {
  const failures = listedFailures(report).filter(({ row }) => row.level === 'must');
  const open = report.requirements.filter(
    ({ outcome, level }) => outcome === 'inconclusive' && level === 'must',
  );
  const named = failures.slice(0, MOST_NAMED);
  return [
    printableLine(report.scope),
    ...report.problems.map((problem) => printableLine(problem)),
    ...named.map(({ row }) => `${row.id}: ${printableLine(row.findings[0]?.message ?? row.title)}`),
    ...(failures.length > named.length ? [`and ${failures.length - named.length} more failures`] : []),
    ...open.slice(0, MOST_NAMED).map((row) => `${row.id} is open: ${printableLine(reasonOf(row))}`),
  ];
}
