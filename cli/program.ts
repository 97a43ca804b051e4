import { Command, CommanderError } from 'commander';

import { ConfigurationError } from '../contract/configuration-error.ts';
import { readKeySources, refuseMissingValues } from './shared/options/given-values.ts';
import { warn } from './shared/output/text-output.ts';
import { addCommand, type Subcommand } from './shared/options/command.ts';
import { packageVersion } from './library/version.ts';

// In the order of the help.
const COMMANDS: Readonly<Record<string, () => Promise<Subcommand>>> = {
  verify: async () => (await import('./verify/command.ts')).VERIFY,
  certify: async () => (await import('./certify/command.ts')).CERTIFY,
  replay: async () => (await import('./replay/command.ts')).REPLAY,
  watch: async () => (await import('./watch/command.ts')).WATCH,
  load: async () => (await import('./load/command.ts')).LOAD,
  worker: async () => (await import('./worker/command.ts')).WORKER,
  simulate: async () => (await import('./simulate/command.ts')).SIMULATE,
  serve: async () => (await import('./serve/command.ts')).SERVE,
  compare: async () => (await import('./compare/command.ts')).COMPARE,
  'check-certificate': async () => (await import('./check-certificate/command.ts')).CHECK_CERTIFICATE,
  keygen: async () => (await import('./keygen/command.ts')).KEYGEN,
  explain: async () => (await import('./explain/command.ts')).EXPLAIN,
  prove: async () => (await import('./prove/command.ts')).PROVE,
  init: async () => (await import('./init/command.ts')).INIT,
};

/**
 * The parser of the command line, with all commands that its words may call.
 * @param done receives the exit code of the command that ran
 */
export async function defineProgram(
  words: readonly string[],
  done: (exitCode: number) => void,
): Promise<Command> {
  const program = new Command('stockcheck')
    .description('Judges implementations of the Petstore Inventory Service.')
    .version(packageVersion())
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', PROGRAM_EXAMPLES);
  program.hook('preAction', (_, command) => {
    refuseMissingValues(command);
    warn(readKeySources(command));
  });
  for (const [name, load] of commandsFor(words)) {
    const command = await load();
    addCommand(program, name, command, async (call) => done(await command.run({ ...call, words })));
  }
  return program;
}

/** A command needs no other, and --version none; help and messages about mistakes name them all. */
function commandsFor([first = '']: readonly string[]) {
  const all = Object.entries(COMMANDS);
  const called = all.filter(([name]) => name === first);
  return ['-V', '--version'].includes(first) || called.length > 0 ? called : all;
}

/**
 * Runs the command line.
 * @param words what stands after `stockcheck`
 * @returns the exit code
 * @throws {ConfigurationError} on bad usage
 */
export async function runProgram(words: readonly string[]): Promise<number> {
  const [first, asked] = words;
  if (first === 'help' && asked !== undefined && !Object.keys(COMMANDS).includes(asked)) {
    throw new ConfigurationError(`unknown command '${asked}' (see --help)`);
  }
  let exitCode = 0;
  const program = await defineProgram(words, (code) => (exitCode = code));
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    if (error.exitCode === 0) {
      return 0;
    }
    if (error.code === 'commander.help') {
      return 2;
    }
    throw new ConfigurationError(usageMessage(error, words), { cause: error });
  }
  return exitCode;
}

/** The parser's message, on one line and without values that may be keys. */
function usageMessage({ code, message }: CommanderError, words: readonly string[]): string {
  const [first = ''] = words;
  const line = message
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  switch (code) {
    case 'commander.unknownOption':
      if (first.startsWith('-')) {
        return 'options follow a command, as in stockcheck verify --self --no-color (see --help)';
      }
      return (
        removedOption(/'(?<option>--[^'=]*)/.exec(line)?.groups?.['option'] ?? '') ??
        `${line.replace(/(?<option>'-[^'=]*)=[^]*$/, "$<option>'")} (see --help)`
      );
    case 'commander.excessArguments':
      return `${line.replace(/(?<count>but got \d+)[^]*$/, '$<count>')}${placeOfLast(message, words)} (see --help)`;
    case 'commander.unknownCommand': {
      const url = /^unknown command '(?<url>https?:[^']*)'/.exec(line)?.groups?.['url'];
      return url === undefined
        ? `${line} (see --help)`
        : `a target follows a command: stockcheck verify ${url}`;
    }
    case 'commander.missingArgument':
      return `${line} (see --help)`;
    default:
      return line;
  }
}

/** Behind which option the last argument stands, which may be a key, so that it is not shown itself. */
function placeOfLast(message: string, words: readonly string[]): string {
  const at = words.findLastIndex((word) => message.endsWith(`, ${word}.`));
  const option = words.slice(0, Math.max(0, at)).findLast((word) => word.startsWith('--'));
  return option === undefined ? '' : `, the last of which stands behind ${option.replace(/=[^]*/, '')}`;
}

const RUN_ON_CHANGES =
  'have a program that watches files start it, such as watchexec -- npx stockcheck verify TARGET';

const BANS =
  'serve with variants, such as --variant no-ban or --variant ban-after-one,ban-of-five-seconds,ban-by-403';

const COMPARED = 'compare the reports of two loads with stockcheck compare BEFORE AFTER --tolerance SHARE';

const INSTEAD: Readonly<Record<string, string>> = {
  '--ban-after': BANS,
  '--ban-seconds': BANS,
  '--ban-status': BANS,
  '--baseline': COMPARED,
  '--latency': 'serve with a variant that is slow, such as --variant slow-150-milliseconds',
  '--no-ban': BANS,
  '--live': 'follow the run in the terminal, or with --events FILE',
  '--random': 'give conformant servers many variants with --together, and each server some with --with',
  '--only-own':
    'judge each fault with --bail, which begins with the checks of the requirement that it breaks',
  '--load': 'say what the report of load measured with --capacity RATE and --service-time TIME',
  '--openmetrics': 'it is a format: --format openmetrics=FILE, or --format openmetrics for stdout',
  '--otlp': 'write OpenMetrics with --format openmetrics=FILE, which an OpenTelemetry collector reads',
  '--search': 'play the storm again with other --variant or --client, and compare the pages of --report',
  '--tolerance': COMPARED,
  '--traceparent': 'put all requests of a load into one trace with --header "traceparent: VALUE"',
  '--watch': RUN_ON_CHANGES,
  '--watch-path': RUN_ON_CHANGES,
  '--workers': 'start serve --store several times, each on a port of its own, behind a proxy',
};

/** What to use in place of an option that earlier versions had, or `null` if none had it. */
function removedOption(name: string): string | null {
  const instead = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
  return instead === undefined ? null : `${name} is gone: ${instead}`;
}

const PROGRAM_EXAMPLES = `
Examples:
  $ stockcheck verify --self                             judge the embedded reference server, to try it
  $ stockcheck verify http://127.0.0.1:8080/v1 --key free=KEY
  $ stockcheck load http://127.0.0.1:8080/v1 --key enterprise=KEY@600000/100000000
  $ stockcheck certify -- node client.js                 judge a client program
  $ stockcheck init                                      set up a project
  $ stockcheck serve                                     run the reference server
  $ stockcheck explain                                   print what is judged

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`;
