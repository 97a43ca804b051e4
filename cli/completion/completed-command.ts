import type { Argument, Command, Option } from 'commander';

import { wordsFor } from './known-words.ts';

/** What may stand for a value: a file, a folder, one of some words, or something that nobody can know. */
export type CompletedValue =
  | { readonly kind: 'file' | 'folder' | 'unknown' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

/** An option as a shell completes it. */
export interface CompletedOption {
  /** Without dashes. */
  readonly long: string;
  readonly help: string;
  /** `null` if it takes none. */
  readonly value: CompletedValue | null;
}

/** A command as a shell completes it. */
export interface CompletedCommand {
  readonly name: string;
  readonly help: string;
  readonly options: readonly CompletedOption[];
  /** What stands behind its options; `null` if nothing does. */
  readonly operand: CompletedValue | null;
}

/** All commands of the program, from their definitions. */
export async function completedCommands(program: Command): Promise<readonly CompletedCommand[]> {
  return Promise.all(
    program
      .createHelp()
      .visibleCommands(program)
      .map(async (command) => ({
        name: command.name(),
        help: command.summary() === '' ? command.description() : command.summary(),
        options: await Promise.all(
          command
            .createHelp()
            .visibleOptions(command)
            .map((option) => completeOption(command.name(), option)),
        ),
        operand: await completeOperand(command.name(), command.registeredArguments[0]),
      })),
  );
}

async function completeOption(command: string, option: Option): Promise<CompletedOption> {
  const { long, description, flags } = option;
  const takesValue = option.required || option.optional;
  const words = takesValue ? await wordsFor(command, long ?? '') : undefined;
  const placeholder = /[<[](?<name>[^>\]]+)/.exec(flags)?.groups?.['name'] ?? '';
  return {
    long: (long ?? '').replace(/^--/, ''),
    help: description,
    value: takesValue ? (words === undefined ? valueNamed(placeholder) : { kind: 'words', words }) : null,
  };
}

async function completeOperand(
  command: string,
  argument: Argument | undefined,
): Promise<CompletedValue | null> {
  if (argument === undefined) {
    return null;
  }
  const words = await wordsFor(command, argument.name());
  return words === undefined ? valueNamed(argument.name()) : { kind: 'words', words };
}

/** What a placeholder such as `<file>`, `[DIR]` or `[CMD...]` stands for. */
function valueNamed(placeholder: string): CompletedValue {
  if (/dir|folder/i.test(placeholder)) {
    return { kind: 'folder' };
  }
  return { kind: /file|report|cmd/i.test(placeholder) ? 'file' : 'unknown' };
}
