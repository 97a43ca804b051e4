import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { isJsonObject, type JsonObject, type JsonValue } from '../contract/lossless-json.ts';
import { ConfigurationError } from '../suites/configuration-error.ts';
import {
  PROFILES,
  resolveTargetConfig,
  targetWarnings,
  type Profile,
  type TargetConfig,
} from '../suites/target-config.ts';
import type { Environment } from './color.ts';
import { readJsonFile } from './json-file.ts';
import {
  commandLineSettings,
  environmentSettings,
  environmentWarnings,
  type Settings,
  type TargetFlags,
} from './options/settings.ts';

/** The file that is read from the working directory where no other is named. */
export const CONFIGURATION_FILE = 'stockcheck.config.json';

export interface LoadedConfiguration {
  /** `null` where nothing describes a target. */
  readonly config: TargetConfig | null;
  /** The profile that an option or variable asks for, also where there is no target. */
  readonly profile: Profile | null;
  readonly warnings: readonly string[];
}

interface ConfigurationFile {
  readonly name: string;
  readonly value: JsonObject;
}

/**
 * Merges the command line over the environment over the file. A plan's keys are replaced as a whole, and so is
 * every other list.
 * @param directory the working directory
 * @throws {ConfigurationError} that names the option, variable or file and the field
 */
export function loadConfiguration(
  target: string | undefined,
  flags: TargetFlags,
  environment: Environment,
  directory: string,
): LoadedConfiguration {
  const file = readConfigurationFile(flags.config, directory);
  const settings = new Map([...environmentSettings(environment), ...commandLineSettings(target, flags)]);
  const profile = PROFILES.find((name) => name === settings.get('profile')?.value) ?? null;
  const warnings = environmentWarnings(environment);
  if (file === undefined && [...settings.keys()].every((field) => field === 'profile')) {
    return { config: null, profile, warnings };
  }
  if (file === undefined && !settings.has('target')) {
    const sources = [...new Set([...settings.values()].map(({ source }) => source))];
    throw new ConfigurationError(
      `TARGET is missing: ${sources.join(', ')} describe${sources.length === 1 ? 's' : ''} a target without its URL`,
    );
  }
  // Without a file, only the keys can be at fault and still have no source.
  const config = resolveTargetConfig(overlay(file?.value ?? {}, settings), (path) => {
    const setting = settings.get(path.slice(0, 2).join('.')) ?? settings.get(path[0] ?? '');
    return setting?.source ?? file?.name ?? '--key';
  });
  return { config, profile, warnings: [...warnings, ...targetWarnings(config)] };
}

function readConfigurationFile(named: string | undefined, directory: string): ConfigurationFile | undefined {
  const path = resolve(directory, named ?? CONFIGURATION_FILE);
  if (named === undefined && !existsSync(path)) {
    return undefined;
  }
  const name = named === undefined ? CONFIGURATION_FILE : `--config ${named}`;
  const value = readJsonFile(path, name);
  if (!isJsonObject(value)) {
    throw new ConfigurationError(`${name} must hold a JSON object such as {"target": "…", "keys": {…}}`);
  }
  return { name, value };
}

/** Puts settings in the place of the file's fields; what is malformed in the file stays for validation to find. */
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
