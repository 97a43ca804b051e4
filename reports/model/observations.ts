import type { Observation } from './report.ts';
import { printableLine } from './words.ts';

/** The value of an observation in one line, safe to show. */
export function observationText(observation: Observation): string {
  const text = typeof observation === 'object' ? observation.join(', ') : String(observation);
  return text === '' ? '(none)' : printableLine(text);
}
