import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { isJsonObject, type JsonObject } from '../../../contract/json/index.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { readJson, readTextFile } from '../files/json-file.ts';
import { findRepeatedMember } from '../files/json-syntax.ts';

/** The file that is read from the working directory if no other is named. */
export const CONFIGURATION_FILE = 'stockcheck.config.json';

interface ConfigurationFile {
  /** What messages call it. */
  readonly name: string;
  readonly value: JsonObject;
}

/**
 * The file of `--config`, or the one of the working directory; `undefined` if there is neither.
 * @throws {ConfigurationError} if it cannot be read or holds no object
 */
export function readConfigurationFile(
  named: string | undefined,
  directory: string,
): ConfigurationFile | undefined {
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

/** The environment variables that the file names; none if it cannot be read, which is reported elsewhere. */
export function variablesNamedIn(named: string | undefined, directory: string): readonly string[] {
  try {
    const text = readFileSync(resolve(directory, named ?? CONFIGURATION_FILE), 'utf8');
    return [...text.matchAll(/\$\{?(?<name>[A-Za-z_]\w*)/g)].map(({ groups }) => groups?.['name'] ?? '');
  } catch {
    return [];
  }
}
