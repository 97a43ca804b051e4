import { resolve } from 'node:path';

import { isJsonObject, type JsonObject } from '../../contract/json/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { baselineOf, type Baseline } from '../library/verify/baseline.ts';
import { readJsonFile } from '../shared/files/json-file.ts';
import type { OptionRow } from '../shared/options/option-rows.ts';

/** The failures that a target is expected to have; none if no file is named. */
export const BASELINE_OPTION: OptionRow<Baseline> = {
  placeholder: '<file>',
  help: 'failures that are expected',
  read: ([path], _named, { directory }) => (path === undefined ? new Map() : readBaseline(path, directory)),
};

/**
 * Reads `{"expectedFailures": {"requirement-id": "reason", …}}`.
 * @throws {ConfigurationError} naming the file and what is wrong in it
 */
export function readBaseline(path: string, directory: string): Baseline {
  return baselineOf(readExpectedFailures(path, directory), `--baseline ${path}`);
}

/**
 * Reads the member `expectedFailures` of a file that has no other.
 * @throws {ConfigurationError} naming the file
 */
export function readExpectedFailures(path: string, directory = ''): JsonObject {
  const value = readJsonFile(resolve(directory, path), `--baseline ${path}`);
  const expected = isJsonObject(value) ? value['expectedFailures'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(expected) || Object.keys(value).length > 1) {
    throw new ConfigurationError(
      `--baseline ${path} has to hold {"expectedFailures": {"requirement-id": "reason"}} and nothing else.`,
    );
  }
  return expected;
}
