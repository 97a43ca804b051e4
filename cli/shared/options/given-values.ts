import { readFileSync } from 'node:fs';

import type { Command } from 'commander';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { PLANS } from '../../../contract/plans.ts';
import { readTextFile } from '../files/json-file.ts';
import { textsOf, type Flags } from './option-rows.ts';

/**
 * Refuses values that are not there: an empty one, as a variable leaves it that is not set, and another option, which
 * the parser takes for the value of the one before it.
 * @throws {ConfigurationError} that names the option or argument
 */
export function refuseMissingValues(command: Command): void {
  const known = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  for (const option of command.options) {
    const value: Flags<string>[string] = command.getOptionValue(option.attributeName());
    for (const text of typeof value === 'boolean' ? [] : textsOf(value)) {
      if (text.trim() === '') {
        throw new ConfigurationError(`${option.long} is empty`);
      }
      const word = text.replace(/=[^]*/, '');
      if (option.required && known.has(word)) {
        throw new ConfigurationError(
          `${option.long} lacks its value: ${word}, which follows it, is another option (see --help)`,
        );
      }
    }
  }
  for (const [index, argument] of command.registeredArguments.entries()) {
    if (command.args[index] === '') {
      throw new ConfigurationError(`${argument.name()} is empty`);
    }
  }
}

/** The options that take keys, and what stands before a key in their values. */
const KEY_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['--key', new RegExp(`^(?:${PLANS.join('|')})=`)],
  ['--revoked-key', /^/],
]);

const STDIN = '-';
const FILE_SIGN = '@';

/**
 * Reads keys from where options say that they are: `@FILE` for a file, `-` for stdin, each with one key in a line or
 * between commas.
 * @param readStdin reads all of it
 * @returns a warning if a key stands on the command line itself
 * @throws {ConfigurationError} that names the option, and never shows a key
 */
export function readKeySources(command: Command, readStdin: () => string = stdinText): readonly string[] {
  let isExposed = false;
  let stdinTakenBy: string | undefined;
  const read = (text: string, before: string, option: string): string => {
    const source = text.slice(before.length);
    const named = `${option} ${text}`;
    if (source.startsWith(FILE_SIGN)) {
      return keysIn(readTextFile(source.slice(FILE_SIGN.length), named), named);
    }
    if (source !== STDIN) {
      isExposed = true;
      return source;
    }
    if (stdinTakenBy !== undefined) {
      throw new ConfigurationError(`${stdinTakenBy} and ${named} would both read stdin: use @FILE for one`);
    }
    stdinTakenBy = named;
    return keysIn(readStdin(), named);
  };
  for (const option of command.options) {
    const { long = '' } = option;
    const prefix = KEY_OPTIONS.get(long);
    const texts = textsOf(command.getOptionValue(option.attributeName()));
    if (prefix !== undefined && texts.length > 0) {
      const values = texts.map((text) => {
        const before = prefix.exec(text)?.[0];
        return before === undefined ? text : `${before}${read(text, before, long)}`;
      });
      command.setOptionValueWithSource(option.attributeName(), values, 'cli');
    }
  }
  return isExposed ? [EXPOSED] : [];
}

const EXPOSED =
  'other users of this machine can read a key that stands on the command line. Give it as --key free=@FILE, as --key free=- on stdin, in a variable such as STOCKCHECK_KEY_FREE, or as "$NAME" in stockcheck.config.json.';

/** The keys of a text as a list with commas. @throws {ConfigurationError} if there is none, or one has a blank within */
function keysIn(text: string, named: string): string {
  const keys = text.split(/\r?\n|\r/).flatMap((line, index) => {
    const inLine = line.split(',').map((key) => key.trim());
    if (inLine.some((key) => /\s/.test(key))) {
      throw new ConfigurationError(
        `${named}, line ${index + 1}: a key holds no blanks; each key takes a line, or commas between them`,
      );
    }
    return inLine.filter((key) => key !== '');
  });
  if (keys.length === 0) {
    throw new ConfigurationError(`${named} holds no key: it takes one in each line`);
  }
  return keys.join(',');
}

/** @throws {ConfigurationError} if it cannot be read */
function stdinText(): string {
  if (process.stdin.isTTY) {
    process.stderr.write('Reading keys from the terminal, one in each line; Ctrl-D ends it.\n');
  }
  try {
    return readFileSync(process.stdin.fd, 'utf8');
  } catch (error) {
    throw new ConfigurationError('stdin cannot be read, and a key option with - needs it', { cause: error });
  }
}
