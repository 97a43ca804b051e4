import { existsSync, readdirSync } from 'node:fs';
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
import { CONFIGURATION_FILE, readConfigurationFile } from './configuration-file.ts';
import { closestName } from '../../../contract/words/closest-name.ts';
import {
  commandLineSettings,
  environmentSettings,
  profileIn,
  type Settings,
  type TargetFlags,
} from './settings.ts';
import type { Surroundings } from '../options/option-rows.ts';
import { textsOf } from '../options/option-rows.ts';

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
  const settings = new Map([...environmentSettings(environment), ...commandLineSettings(target, flags)]);
  const profile = profileIn(settings);
  if (file === undefined && !settings.has('target')) {
    throw targetMissing(settings, environment, directory);
  }
  const settingAt = (path: readonly string[]) =>
    settings.get(path.slice(0, 2).join('.')) ?? settings.get(path[0] ?? '');
  const described = readReferences(overlay(file?.value ?? {}, settings), {
    environment,
    source: file?.name ?? '',
    skips: (path) => settingAt(path) !== undefined,
  });
  // Without a file, only the keys can be at fault and still have no source.
  const sourceOf = (path: readonly string[]) => settingAt(path)?.source ?? file?.name ?? '--key';
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
      ...similarFiles(directory).map(
        (name) => `${name} is not read: rename it to ${CONFIGURATION_FILE}, or use --config ${name}.`,
      ),
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

function similarFiles(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => closestName(name, [CONFIGURATION_FILE]) !== undefined);
}
