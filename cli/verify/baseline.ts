import { isJsonObject } from '../../contract/lossless-json.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { baselineOf, type Baseline } from '../library/verify/baseline.ts';
import { readJsonFile } from '../shared/files/json-file.ts';

/**
 * Reads `{"expectedFailures": {"requirement-id": "reason", …}}`.
 * @throws {ConfigurationError} naming the file and what is wrong in it
 */
export function readBaseline(path: string): Baseline {
  const value = readJsonFile(path, `--baseline ${path}`);
  const expected = isJsonObject(value) ? value['expectedFailures'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(expected) || Object.keys(value).length > 1) {
    throw new ConfigurationError(
      `--baseline ${path} has to hold {"expectedFailures": {"requirement-id": "reason"}} and nothing else.`,
    );
  }
  return baselineOf(expected, `--baseline ${path}`);
}
