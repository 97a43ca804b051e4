import { optionName } from '../../library/option-name.ts';

/** What options are read in. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly directory: string;
}

/** What an option may give away; lines that are shown have a variable in its place. */
export type Secret = 'key' | 'revoked key' | 'header' | 'variable';

/** What users see of an option. */
export interface OptionText {
  /** Such as `<file>`, or `[file]` if the value may be left out; none for an option without a value. */
  readonly placeholder?: string;
  readonly help: string;
  readonly default?: string;
  readonly isRepeatable?: boolean;
  /** Whether it is written with `--no-`, and what it stands for holds if it is not given. */
  readonly isNegated?: boolean;
  readonly secret?: Secret;
}

/** An option under its name in camel case: how it is written, explained and read. */
export interface OptionRow<Value> extends OptionText {
  /** @param texts what was given, or else the default; an option without a value gives '' */
  readonly read: (texts: readonly string[], named: string, surroundings: Surroundings) => Value;
}

/** The value of each option that its row reads. */
export type OptionValues<Rows> = {
  readonly [
    Name in keyof Rows as Rows[Name] extends OptionRow<unknown> ? Name : never
  ]: Rows[Name] extends OptionRow<infer Value> ? Value : never;
};

/** Options as the parser of the command line returns them; those that were not given are absent. */
export type Flags<Name extends PropertyKey> = {
  readonly [Given in Name]?: string | boolean | readonly string[];
};

type Reader<Value> = (text: string, named: string, surroundings: Surroundings) => Value;

/** An option that is given or not. */
export function flag(help: string): OptionRow<boolean> {
  return { help, read: (texts) => texts.length > 0 };
}

/** An option that takes something away, which is there by default. */
export function negated(help: string): OptionRow<boolean> {
  return { ...flag(help), isNegated: true };
}

/** An option with a value, read as `null` if it was not given. */
export function optional<Value>(
  placeholder: string,
  help: string,
  read: Reader<Value>,
): OptionRow<Value | null> {
  return {
    placeholder,
    help,
    read: ([text], named, surroundings) => (text === undefined ? null : read(text, named, surroundings)),
  };
}

/** An option with a value that has a default. */
export function withDefault<Value>(
  placeholder: string,
  help: string,
  standard: string,
  read: Reader<Value>,
): OptionRow<Value> {
  return {
    placeholder,
    help,
    default: standard,
    read: ([text = standard], named, surroundings) => read(text, named, surroundings),
  };
}

/** An option that may be repeated. */
export function list<Value>(
  placeholder: string,
  help: string,
  read: Reader<Value>,
  secret: Pick<OptionText, 'secret'> = {},
): OptionRow<readonly Value[]> {
  const readAll: OptionRow<readonly Value[]>['read'] = (texts, named, surroundings) =>
    texts.map((text) => read(text, named, surroundings));
  return { ...together(placeholder, help, readAll), ...secret };
}

/** The same, whose values are read together. */
export function together<Value>(
  placeholder: string,
  help: string,
  read: OptionRow<Value>['read'],
): OptionRow<Value> {
  return { placeholder, help, isRepeatable: true, read };
}

/** Reads a text as it is. */
export const asText: Reader<string> = (text) => text;

/**
 * Reads the options whose rows say how; the others are read together with what they depend on.
 * @throws {ConfigurationError} that names the option
 */
export function readOptions<Rows extends object>(
  rows: Rows,
  flags: Flags<keyof Rows>,
  surroundings: Surroundings,
): OptionValues<Rows>;
export function readOptions(
  rows: Readonly<Record<string, OptionText | OptionRow<unknown>>>,
  flags: Flags<string>,
  surroundings: Surroundings,
): object {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([name, row]) =>
      'read' in row ? [[name, row.read(textsOf(flags[name]), optionName(name), surroundings)]] : [],
    ),
  );
}

/** The texts that an option was given with. */
export function textsOf(value: Flags<string>[string]): readonly string[] {
  if (value === undefined || value === false) {
    return [];
  }
  return value === true ? [''] : typeof value === 'string' ? [value] : value;
}
