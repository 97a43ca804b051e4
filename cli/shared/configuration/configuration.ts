import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/json/index.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import {
  readReferences,
  resolveTargetConfig,
  targetWarnings,
  type TargetConfig,
} from '../../../suites/target/index.ts';
import type { Profile } from '../../../contract/verdict.ts';
import { closestName } from '../../../contract/words/closest-name.ts';
import {
  commandLineSettings,
  environmentSettings,
  profileIn,
  readSettings,
  settingAt,
  type Settings,
  type TargetFlags,
} from './settings.ts';
import { type Surroundings, textsOf } from '../options/option-rows.ts';
import { entryOf, readJson, readTextFile } from '../files/json-file.ts';
import { findRepeatedMember } from '../files/json-syntax.ts';
import { warn } from '../output/text-output.ts';
import { unknownVariables, variablesIn } from './variables.ts';

export interface LoadedConfiguration {
  /** `null`: `--self` asks for the embedded reference server. */
  readonly config: TargetConfig | null;
  /** The profile that an option or variable asks for; it also holds for the embedded server. */
  readonly profile: Profile | null;
  readonly warnings: readonly string[];
}

/**
 * Merges the command line over the environment over the file. A plan's keys are replaced as a whole, and so is
 * every other list.
 * @param mayLackKeys whether what is done takes no key
 * @throws {ConfigurationError} that names the option, variable or file and the field
 */
export function loadConfiguration(
  target: string | undefined,
  flags: TargetFlags,
  { environment, directory }: Pick<Surroundings, 'environment' | 'directory'>,
  mayLackKeys = false,
): LoadedConfiguration {
  if (flags.self === true) {
    return embeddedServer(target, flags, { environment, directory });
  }
  const [named] = textsOf(flags.config);
  const file = readConfigurationFile(named, directory);
  const settings = readSettings(target, flags, environment);
  const profile = profileIn(settings);
  if (file === undefined && !settings.has('target')) {
    throw targetMissing(settings, environment, directory);
  }
  const described = readReferences(overlay(file?.value ?? {}, settings), {
    environment,
    source: file?.name ?? '',
    skips: (path) => settingAt(settings, path) !== undefined,
  });
  // Without a file, only the keys can be at fault and still have no source.
  const sourceOf = (path: readonly string[]) => settingAt(settings, path)?.source ?? file?.name ?? '--key';
  const config = resolveTargetConfig(described, sourceOf, mayLackKeys);
  return {
    config: { ...config, controlFrom: sourceOf(['control']) },
    profile,
    warnings: [...emptyTargetWarnings(environment, settings), ...targetWarnings(config)],
  };
}

/** Any other description of a target is bad usage on the command line, and ignored elsewhere. */
function embeddedServer(
  target: string | undefined,
  flags: TargetFlags,
  { environment, directory }: Pick<Surroundings, 'environment' | 'directory'>,
): LoadedConfiguration {
  const given = commandLineSettings(target, flags);
  const describing = [...given].filter(([field]) => field !== 'profile').map(([, { source }]) => source);
  const [rival] = flags.config === undefined ? describing : ['--config'];
  if (rival !== undefined) {
    throw new ConfigurationError(
      `${rival} and --self exclude each other: --self takes the embedded reference server, with its own keys`,
    );
  }
  const variables = environmentSettings(environment);
  const aside = [
    ...(variables.has('target') ? ['STOCKCHECK_TARGET'] : []),
    ...(existsSync(resolve(directory, CONFIGURATION_FILE)) ? [CONFIGURATION_FILE] : []),
  ];
  return {
    config: null,
    profile: profileIn(new Map([...variables, ...given])),
    warnings: aside.map((name) => `--self takes the embedded reference server; ${name} is ignored`),
  };
}

/** Replaces the file's fields by settings; what is malformed in the file stays for validation to find. */
function overlay(file: JsonObject, settings: Settings): JsonObject {
  const merged = new Map<string, JsonValue>(Object.entries(file));
  for (const [field, { value }] of settings) {
    const [name = field, member] = field.split('.');
    const parent = merged.get(name) ?? {};
    if (member === undefined) {
      merged.set(name, value);
    } else if (isJsonObject(parent)) {
      merged.set(name, { ...parent, [member]: value });
    }
  }
  return Object.fromEntries(merged);
}

/** Says that nothing names a target, and how to name one: a gate that lost its target must not judge another. */
function targetMissing(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  directory: string,
): ConfigurationError {
  const described = [...settings].filter(([field]) => field !== 'profile').map(([, { source }]) => source);
  const sources = [...new Set(described)];
  const found =
    sources.length === 0
      ? 'nothing names one'
      : `${sources.join(', ')} describe${sources.length === 1 ? 's' : ''} a target without its URL`;
  return new ConfigurationError(
    [
      `TARGET is missing: ${found}. Give it as an argument, such as http://127.0.0.1:8080/v1, in STOCKCHECK_TARGET, or as "target" in ${CONFIGURATION_FILE} or in the file of --config.`,
      ...(isTargetEmpty(environment) ? ['STOCKCHECK_TARGET is set, but empty.'] : []),
      ...readdirSync(directory)
        .filter((name) => closestName(name, [CONFIGURATION_FILE]) !== undefined)
        .map((name) => `${name} is not read: rename it to ${CONFIGURATION_FILE}, or use --config ${name}.`),
      'To try stockcheck on the embedded reference server, use --self.',
    ].join('\n'),
  );
}

/** An empty variable leaves the target to the file, which may name another than was meant. */
function emptyTargetWarnings(environment: NodeJS.ProcessEnv, settings: Settings): readonly string[] {
  return isTargetEmpty(environment) && !settings.has('target')
    ? ['STOCKCHECK_TARGET is set, but empty; the target comes from the configuration file']
    : [];
}

function isTargetEmpty(environment: NodeJS.ProcessEnv): boolean {
  return environment['STOCKCHECK_TARGET']?.trim() === '';
}

/** The file that is read from the working directory if no other is named. */
export const CONFIGURATION_FILE = 'stockcheck.config.json';

/**
 * The file of `--config`, or the one of the working directory, and what messages call it; `undefined` if there is neither.
 * @throws {ConfigurationError} if it cannot be read or holds no object
 */
function readConfigurationFile(named: string | undefined, directory: string) {
  const path = resolve(directory, named ?? CONFIGURATION_FILE);
  if (named === undefined && !existsSync(path)) {
    return undefined;
  }
  const name = named === undefined ? CONFIGURATION_FILE : `--config ${named}`;
  const text = readTextFile(path, name);
  const value = readJson(text, name);
  const repeated = findRepeatedMember(text);
  if (repeated !== undefined) {
    throw new ConfigurationError(
      `${name}, line ${repeated.line}, column ${repeated.column}: ${JSON.stringify(repeated.name)} stands twice in one object; leave one of them`,
    );
  }
  if (!isJsonObject(value)) {
    throw new ConfigurationError(`${name} must hold a JSON object such as {"target": "…", "keys": {…}}`);
  }
  return { name, value };
}

/**
 * Warns of environment variables that begin like a setting and are none, before anything that their absence leads to. The
 * file may name others; that it cannot be read is reported elsewhere.
 */
export function warnOfVariables(
  { config }: TargetFlags,
  { environment, directory }: Pick<Surroundings, 'environment' | 'directory'>,
): void {
  const [named] = textsOf(config);
  warn(unknownVariables(environment, variablesOfFile(named, directory)));
}

function variablesOfFile(named: string | undefined, directory: string): readonly string[] {
  try {
    const path = resolve(directory, named ?? CONFIGURATION_FILE);
    // A pipe can be read only once.
    return entryOf(path)?.isFile() === true ? variablesIn(readFileSync(path, 'utf8')) : [];
  } catch {
    return [];
  }
}

/** What the user says of the service whose traffic is judged: nothing of it is needed. */
export interface TrafficTarget {
  /** The base address, without a slash at its end; `null` if it is to be found in the traffic. */
  readonly base: string | null;
  readonly keys: TargetConfig['keys'];
}

// Stands for an address that is still to be found, so that keys are validated as they are everywhere.
const UNKNOWN_ADDRESS = 'http://service.invalid/v1';

/**
 * @param named what messages call the base address
 * @throws {ConfigurationError} that names the option or variable
 */
export function readTrafficTarget(
  target: string | undefined,
  flags: TargetFlags,
  { environment }: Pick<Surroundings, 'environment'>,
  named = 'TARGET',
): TrafficTarget {
  const settings = readSettings(target, flags, environment);
  const base = settings.get('target')?.value;
  const given = [...settings].filter(([field]) => field.startsWith('keys.'));
  const hasKeys = given.length > 0;
  const sourceOf = (path: readonly string[]): string =>
    path[0] === 'target' && target !== undefined ? named : (settingAt(settings, path)?.source ?? '--key');
  const config = resolveTargetConfig(
    {
      target: base ?? UNKNOWN_ADDRESS,
      // A key is not needed, but what takes its place has to look like one.
      keys: hasKeys
        ? Object.fromEntries(given.map(([field, { value }]) => [field.slice('keys.'.length), value]))
        : { free: ['none'] },
    },
    sourceOf,
  );
  return { base: base === undefined ? null : config.target, keys: hasKeys ? config.keys : [] };
}
