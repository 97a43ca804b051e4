import type { Command } from 'commander';

import { ConfigurationError } from '../../../contract/configuration-error.ts';

/**
 * Refuses values that are not there: an empty one, as a variable leaves it that is not set, and another option, which
 * the parser takes for the value of the one before it.
 * @throws {ConfigurationError} that names the option or argument
 */
export function refuseMissingValues(command: Command): void {
  const known = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  for (const option of command.options) {
    for (const text of textsOf(command.getOptionValue(option.attributeName()))) {
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

function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((text) => typeof text === 'string');
}
