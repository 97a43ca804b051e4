import { isJsonObject, type JsonObject } from '../../contract/json/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { baselineOf, type Baseline } from '../library/verify/baseline.ts';
import { readJsonFile } from '../shared/files/json-file.ts';

/**
 * Reads `{"expectedFailures": {"requirement-id": "reason", …}}`.
 * @throws {ConfigurationError} naming the file and what is wrong in it
 */
export function readBaseline(path: string): Baseline {
  return baselineOf(readExpectedFailures(path), `--baseline ${path}`);
}

/**
 * Reads the member `expectedFailures` of a file that has no other.
 * @throws {ConfigurationError} naming the file
 */
export function readExpectedFailures(path: string): JsonObject {
  const value = readJsonFile(path, `--baseline ${path}`);
  const expected = isJsonObject(value) ? value['expectedFailures'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(expected) || Object.keys(value).length > 1) {
    throw new ConfigurationError(
      `--baseline ${path} has to hold {"expectedFailures": {"requirement-id": "reason"}} and nothing else.`,
    );
  }
  return expected;
}
