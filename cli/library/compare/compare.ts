import type { Report } from '../../../reports/index.ts';
import { compareTwo, type ComparedPair } from './compare-two.ts';

/** How `compare` compares. */
export interface CompareCallOptions {
  /** How much worse a measure of a load may get, as a share; 0.05 by default. */
  readonly tolerance?: number;
}

const DEFAULT_TOLERANCE = 0.05;

/**
 * Compares two reports of the same command, as `stockcheck compare` does.
 * @param before the earlier report
 * @param after the later report
 * @returns what changed; its `trend` is `worse` if something that decides a verdict fails now, `less` if something is no
 * longer judged
 * @throws {ConfigurationError} if the reports are of different commands
 */
export function compare(
  before: Report,
  after: Report,
  { tolerance = DEFAULT_TOLERANCE }: CompareCallOptions = {},
): ComparedPair {
  return compareTwo({ name: 'before', report: before }, { name: 'after', report: after }, tolerance);
}
