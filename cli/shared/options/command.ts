import { Option, type Command } from 'commander';

import { optionName } from '../../library/option-name.ts';
import { disableColor } from '../output/text-output.ts';
import type { Flags, OptionText, Surroundings } from './option-rows.ts';

/** A command of `stockcheck`. What takes long to load is imported when it runs. */
export interface Subcommand {
  readonly summary: string;
  readonly description: string;
  /** Such as `[options] -- CMD...`, if it cannot be told from arguments and options. */
  readonly usage?: string;
  /** What the help says of each argument, by how it is written, such as `[TARGET]`. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Whether the first word that is no option begins the command line of a program, as if -- stood before it. */
  readonly takesProgram?: boolean;
  /** The rows of its options by their headings, in the order of the help. */
  readonly options: Readonly<Record<string, Readonly<Record<string, OptionText>>>>;
  /** Whether it shows nothing in colours, and so takes no `--no-color`. */
  readonly isPlain?: boolean;
  /** What the help ends with. */
  readonly examples: string;
  /** @returns the exit code */
  readonly run: (call: CommandCall) => Promise<number>;
}

/** A command as it was called. */
export interface CommandCall {
  readonly operands: readonly string[];
  readonly flags: Flags<string>;
  /** All that stood behind `stockcheck`. */
  readonly words: readonly string[];
  readonly surroundings: Surroundings;
}

/**
 * Adds a command to the parser of the command line.
 * @param act is called with the words that follow its name, in the place of what it runs
 */
export function addCommand(
  program: Command,
  name: string,
  text: Omit<Subcommand, 'run'>,
  act: (call: Omit<CommandCall, 'words'>) => Promise<void>,
): void {
  const command = program.command(name).summary(text.summary).description(text.description);
  if (text.usage !== undefined) {
    command.usage(text.usage);
  }
  command.passThroughOptions(text.takesProgram === true).addHelpText('after', text.examples);
  for (const [argument, help] of Object.entries(text.arguments ?? {})) {
    command.argument(argument, help);
  }
  for (const [heading, rows] of Object.entries(text.options)) {
    command.optionsGroup(heading);
    Object.entries(rows).forEach(([option, row]) => command.addOption(optionOf(option, row)));
  }
  if (text.isPlain !== true) {
    command.option('--no-color', 'no colours');
  }
  command.action(async () => {
    const flags = command.opts<Flags<string>>();
    if (flags['color'] === false) {
      disableColor(process.env);
    }
    const surroundings = { environment: process.env, directory: process.cwd() };
    await act({ operands: command.args, flags, surroundings });
  });
}

function optionOf(name: string, { placeholder, help, ...row }: OptionText): Option {
  const written = optionName(row.isNegated === true ? `no-${name}` : name);
  const usual = row.default === undefined ? '' : ` (default: ${row.default})`;
  const option = new Option(
    placeholder === undefined ? written : `${written} ${placeholder}`,
    `${help}${row.isRepeatable === true ? '; repeatable' : ''}${usual}`,
  );
  return row.isRepeatable === true
    ? option.argParser((value, earlier: readonly string[] | undefined) => [...(earlier ?? []), value])
    : option;
}
