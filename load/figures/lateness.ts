import type { LoadMeasurement } from '../../contract/load-result.ts';

// A generator that is later than this noticeably distorts what it measures.
const LATE_MILLISECONDS = 25;

/** Says that the generator of an open model sent too late, in a sentence; `null` if it did not. */
export function latenessOf({
  model,
  generatorLag: { p99 },
}: Pick<LoadMeasurement, 'model' | 'generatorLag'>): string | null {
  return model === 'closed' || p99 === null || p99 <= LATE_MILLISECONDS
    ? null
    : `The generator fell behind: 1 % of the requests left ${Math.round(p99)} ms late or later. Lower the rate, or run it on a machine of its own.`;
}
