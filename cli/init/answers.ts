import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { JsonObject } from '../../contract/json/index.ts';
import type { DescribedKey } from '../../contract/target-fields.ts';
import type { Profile } from '../../contract/verdict.ts';
import { readReferences, resolveTargetConfig, type TargetConfig } from '../../suites/target/index.ts';
import { parseKeyOptions } from '../shared/options/keys.ts';
import { variablesIn } from '../shared/configuration/variables.ts';

/** Keys as the configuration describes them: each is the name of a variable behind a `$`. */
export type NamedKeys = ReturnType<typeof parseKeyOptions>;

/** What the configuration is made of. */
export interface InitAnswers {
  /** As it goes into the file; it may name environment variables. */
  readonly target: string;
  readonly keys: NamedKeys;
  /** `null` if there is none. */
  readonly control: string | null;
  /** `null` for the one that a run chooses by itself. */
  readonly profile: Profile | null;
}

/** The configuration in the shape of its file. */
export function describeAnswers({ target, keys, control, profile }: InitAnswers): JsonObject {
  return {
    target,
    ...(keys.size === 0 ? {} : { keys: Object.fromEntries(keys) }),
    ...(control === null ? {} : { control }),
    ...(profile === null ? {} : { profile }),
  };
}

/**
 * The target that the answers describe, with the values of the variables that they name.
 * @throws {ConfigurationError} with a line for each problem; it names the field
 */
export function targetOf(answers: InitAnswers, environment: NodeJS.ProcessEnv): TargetConfig {
  const source = 'the answers';
  return resolveTargetConfig(readReferences(describeAnswers(answers), { environment, source }), source);
}

/**
 * A base address as it was given; it may name environment variables.
 * @param field as the configuration calls it
 * @param named what messages call it; they name the field alone if it is absent
 * @throws {ConfigurationError} if it is none
 */
export function checkedAddress(
  field: 'target' | 'control',
  text: string,
  environment: NodeJS.ProcessEnv,
  named?: string,
): string {
  const usable = { target: 'http://service.invalid/v1', keys: { free: ['none'] } };
  const described = { ...usable, [field]: text };
  const source = named ?? 'the answer';
  resolveTargetConfig(readReferences(described, { environment, source }), named);
  return text;
}

/** What a reader of an answer has to say against it, or `undefined`. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.message;
    }
    throw error;
  }
}

/** The environment variables that the configuration names, each once. */
export function variablesOf(answers: InitAnswers): readonly string[] {
  return variablesIn(JSON.stringify(describeAnswers(answers)));
}

/** A name that nobody would take for a key; only such a one is shown, or written without being set. */
const TELLING_NAME = /^(?:[A-Z]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/;

const NO_KEYS_IN_FILES =
  'A key does not go into the file: put it into an environment variable, and give the name of that, such as STAGING_KEY.';

/** What names of variables are read in. */
export interface KeyReading {
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the target is tried, so that the variables have to be set. */
  readonly isTried: boolean;
}

const FORM = 'plan=NAME, such as free=FREE_KEY or enterprise=ENTERPRISE_KEY@5000/500000';

/**
 * The keys of texts such as `free=FREE_KEY, FREE_KEY_2` or `enterprise=ENTERPRISE_KEY@5000/500000`.
 * @param named what messages call each of them
 * @throws {ConfigurationError} if one is no name of a variable, or its variable holds no key; no key is shown
 */
export function readKeyVariables(texts: readonly string[], named: string, reading: KeyReading): NamedKeys {
  return new Map(
    [...parseKeyOptions(texts, named, FORM)].map(([plan, keys]) => [
      plan,
      keys.map((key) => readKeyVariable(key, `${named} ${plan}`, reading)),
    ]),
  );
}

function readKeyVariable(
  given: DescribedKey,
  named: string,
  { environment, isTried }: KeyReading,
): DescribedKey {
  const name = typeof given === 'string' ? given : given.key;
  const variable = name.replace(/^\$\{(.*)\}$|^\$/, '$1');
  if (!/^[A-Za-z_]\w*$/.test(variable)) {
    throw new ConfigurationError(
      `${named}: this is not the name of an environment variable. ${NO_KEYS_IN_FILES}`,
    );
  }
  const value = environment[variable];
  if (value === undefined && !TELLING_NAME.test(variable)) {
    throw new ConfigurationError(
      `${named}: no environment variable has that name; it may be a key. ${NO_KEYS_IN_FILES}`,
    );
  }
  if (isTried) {
    refuseUnusable(named, variable, value ?? '');
  }
  const key = `$${variable}`;
  return typeof given === 'string' ? key : { ...given, key };
}

/** @throws {ConfigurationError} that never shows the value */
function refuseUnusable(named: string, variable: string, value: string): void {
  if (value === '') {
    throw new ConfigurationError(
      `${named}: the environment variable ${variable} is not set, or empty. Set it with export ${variable}=… before stockcheck init, or name another.`,
    );
  }
  const isKey =
    problemOf(() => resolveTargetConfig({ target: 'http://service.invalid/v1', keys: { free: [value] } })) ===
    undefined;
  if (value.includes(',') || !isKey) {
    throw new ConfigurationError(
      `${named}: the environment variable ${variable} does not hold one API key, which is printable ASCII without spaces and commas. Give each key a variable of its own.`,
    );
  }
}

/** Which variable holds the key that a text calls `free#1` or the like, in sentences. */
export function explainLabels(text: string, keys: NamedKeys): readonly string[] {
  return [...keys].flatMap(([plan, ofPlan]) =>
    ofPlan.flatMap((key, index) => {
      const label = `${plan}#${index + 1}`;
      const variable = (typeof key === 'string' ? key : key.key).slice(1);
      return new RegExp(`${label}(?!\\d)`).test(text) ? [`${label} is the key in ${variable}.`] : [];
    }),
  );
}
