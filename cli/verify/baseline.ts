import { findRequirement, REQUIREMENTS, type RequirementId } from '../../contract/requirements/index.ts';
import { isJsonObject } from '../../contract/lossless-json.ts';
import { closestName } from '../../contract/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readJsonFile } from '../shared/files/json-file.ts';

/** Failures that are known and accepted for now: requirement id to the reason that was given. */
export type Baseline = ReadonlyMap<RequirementId, string>;

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
  const baseline = new Map<RequirementId, string>();
  for (const [id, reason] of Object.entries(expected)) {
    const row = findRequirement(id);
    if (row === undefined) {
      const closest = closestName(
        id,
        REQUIREMENTS.map((requirement) => requirement.id),
      );
      const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
      throw new ConfigurationError(`--baseline ${path}: there is no requirement ${id}.${hint}`);
    }
    if (typeof reason !== 'string') {
      throw new ConfigurationError(`--baseline ${path}: the reason of ${id} has to be a string.`);
    }
    baseline.set(row.id, reason);
  }
  return baseline;
}
