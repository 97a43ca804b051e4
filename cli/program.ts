import { Command, CommanderError } from 'commander';

import { ConfigurationError } from '../contract/configuration-error.ts';
import { defineCertify } from './certify/command.ts';
import { defineCompare } from './compare/command.ts';
import { defineExplain } from './explain/command.ts';
import { defineLoad } from './load/command.ts';
import { defineProve } from './prove/command.ts';
import { defineServe } from './serve/command.ts';
import { defineVerify } from './verify/command.ts';
import { defineWorker } from './worker/command.ts';
import { refuseMissingValues } from './shared/options/missing-values.ts';
import { packageVersion } from './shared/version.ts';

// In the order of the help. What they run is imported when they run: `--help` needs none of it.
const COMMANDS = [
  defineVerify,
  defineCertify,
  defineLoad,
  defineWorker,
  defineServe,
  defineCompare,
  defineExplain,
  defineProve,
];

/**
 * Runs the command line.
 * @param words what stands after `stockcheck`
 * @returns the exit code
 * @throws {ConfigurationError} on bad usage
 */
export async function runProgram(words: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('stockcheck')
    .description('Judges implementations of the Petstore Inventory Service.')
    .version(packageVersion())
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', PROGRAM_EXAMPLES);
  program.hook('preAction', (_, command) => refuseMissingValues(command));
  for (const define of COMMANDS) {
    define(program, (code) => (exitCode = code), words);
  }
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
function usageMessage({ code, message }: CommanderError, [first = '']: readonly string[]): string {
  const line = message
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  switch (code) {
    case 'commander.unknownOption':
      if (first.startsWith('-')) {
        return 'options follow a command, as in stockcheck verify --self --no-color (see --help)';
      }
      return `${line.replace(/(?<option>'-[^'=]*)=[^]*$/, "$<option>'")} (see --help)`;
    case 'commander.excessArguments':
      return `${line.replace(/(?<count>but got \d+)[^]*$/, '$<count>')} (see --help)`;
    case 'commander.unknownCommand': {
      const url = /^unknown command '(?<url>https?:[^']*)'/.exec(line)?.groups?.['url'];
      return url === undefined
        ? `${line} (see --help)`
        : `a target follows a command: stockcheck verify ${url}`;
    }
    default:
      return line;
  }
}

const PROGRAM_EXAMPLES = `
Examples:
  $ stockcheck verify --self                             judge the embedded reference server, to try it
  $ stockcheck verify http://127.0.0.1:8080/v1 --key free=KEY
  $ stockcheck load http://127.0.0.1:8080/v1 --key enterprise=KEY@600000/100000000
  $ stockcheck certify -- node client.js                 judge a client program
  $ stockcheck serve                                     run the reference server
  $ stockcheck explain                                   print what is judged

Exit codes: 0 conformant, 1 nonconformant, 2 bad usage or configuration, 3 inconclusive.`;
