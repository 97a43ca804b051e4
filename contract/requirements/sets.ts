import { enumeration } from '../words/enumeration.ts';
import { ConfigurationError } from '../configuration-error.ts';

/**
 * The versions of the register, the oldest first. A set holds every row that came with it or before it, and what is judged
 * by it does not change once it is released (docs/decisions/0013-requirement-sets.md).
 */
export const REQUIREMENT_SETS = ['1.0', '1.1'] as const;

export type RequirementSet = (typeof REQUIREMENT_SETS)[number];

/** What a run is judged by if it names no set. */
export const LATEST_SET: RequirementSet = '1.1';

/** Whether a row came after that set. */
export function isNewer({ since }: { readonly since: RequirementSet }, set: RequirementSet): boolean {
  return REQUIREMENT_SETS.indexOf(since) > REQUIREMENT_SETS.indexOf(set);
}

/**
 * A set of requirements by its version, such as `1.0`.
 * @throws {ConfigurationError} if there is none
 */
export function readRequirementSet(named: string, text: string): RequirementSet {
  const set = REQUIREMENT_SETS.find((version) => version === text);
  if (set === undefined) {
    const known = enumeration(REQUIREMENT_SETS, 'or');
    throw new ConfigurationError(
      `${named} must be ${known}, not ${JSON.stringify(text)}. A newer set takes a newer stockcheck.`,
    );
  }
  return set;
}
