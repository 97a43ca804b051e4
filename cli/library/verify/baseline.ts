import { findRequirement, REQUIREMENTS, type RequirementId } from '../../../contract/requirements/index.ts';
import { didYouMean } from '../../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';

/** Failures that are known and accepted for now: requirement id to the reason that was given. */
export type Baseline = ReadonlyMap<RequirementId, string>;

/**
 * Reads reasons by requirement id.
 * @param source what messages call them
 * @throws {ConfigurationError} if an id is unknown or a reason is no string
 */
export function baselineOf(expected: Readonly<Record<string, unknown>>, source: string): Baseline {
  const baseline = new Map<RequirementId, string>();
  for (const [id, reason] of Object.entries(expected)) {
    const row = findRequirement(id);
    if (row === undefined) {
      const known = REQUIREMENTS.map((requirement) => requirement.id);
      throw new ConfigurationError(`${source}: there is no requirement ${id}.${didYouMean(id, known)}`);
    }
    if (typeof reason !== 'string') {
      throw new ConfigurationError(`${source}: the reason of ${id} has to be a string.`);
    }
    baseline.set(row.id, reason);
  }
  return baseline;
}
