import { Command, InvalidArgumentError } from 'commander';
import picomatch from 'picomatch';

import type { Mutant } from './mutant.ts';
import { namedReason, type SurvivalReasons } from './reason.ts';

export interface MutationOptions {
  /** Files, such as `service/window.ts`; `null` for all. */
  readonly only: string | null;
  /** Ids of mutants; empty for all. */
  readonly mutant: readonly string[];
  /** Leaves out those whose reason to survive is known. */
  readonly withoutReason: boolean;
  /** Prints the mutants, and judges none. */
  readonly list: boolean;
  /** Where the results go as JSON. */
  readonly json: string | null;
  /** How many mutants are judged at a time. */
  readonly jobs: number;
}

const DEFAULT_JOBS = 2;

/** Reads the command line; a wrong one is told on stderr and ends the process with 2. */
export function readMutationOptions(parameters: readonly string[]): MutationOptions {
  const command = new Command('mutation')
    .description(
      'Changes the code of the reference server in one place at a time, and judges each server that results.',
    )
    .option('--only <glob>', 'mutants of these files, such as service/window.ts (default: all)')
    .option('--mutant <id>', 'a mutant by its number in --list; may be repeated', collect, [])
    .option('--without-reason', 'only mutants that have no reason to survive', false)
    .option('--list', 'print the mutants, and judge none', false)
    .option('--json <file>', 'write the results as JSON')
    .option('--jobs <count>', 'mutants judged at a time', readCount, DEFAULT_JOBS)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse(parameters, { from: 'user' });
  const {
    only = null,
    json = null,
    ...given
  } = command.opts<
    Omit<MutationOptions, 'only' | 'json'> & { readonly only?: string; readonly json?: string }
  >();
  return { ...given, only, json };
}

/** The mutants that the options choose; a message for the user if there are none. */
export function selectMutants(
  mutants: readonly Mutant[],
  { only, mutant: ids, withoutReason }: Pick<MutationOptions, 'only' | 'mutant' | 'withoutReason'>,
  reasons: SurvivalReasons,
): readonly Mutant[] | string {
  const unknown = ids.find((id) => !mutants.some((mutant) => mutant.id === id));
  if (unknown !== undefined) {
    return `--mutant: there is no mutant ${unknown}; --list shows them all`;
  }
  const isChosen = only === null ? () => true : picomatch(only);
  const chosen = mutants.filter(({ id, file }) => isChosen(file) && (ids.length === 0 || ids.includes(id)));
  return chosen.length === 0
    ? '--only: no file that is mutated matches; --list shows them all'
    : chosen.filter((mutant) => !withoutReason || namedReason(mutant, reasons) === null);
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError('It is an integer from 1.');
  }
  return count;
}
