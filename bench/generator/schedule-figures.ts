import type { Stalls } from '../../fixtures/answer-times.ts';

/** Moments in bins of equal width from a start on, in the same unit; what lies outside is not counted. */
export function countInBins(
  moments: readonly number[],
  start: number,
  width: number,
  bins: number,
): readonly number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const moment of moments) {
    const bin = Math.floor((moment - start) / width);
    const count = counts[bin];
    if (count !== undefined) {
      counts[bin] = count + 1;
    }
  }
  return counts;
}

/** Variance over mean of counts: 0 if all are equal, 1 of a Poisson process. */
export function dispersionOf(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
  return variance / mean;
}

/** How far a count is from the one beside it, at worst. */
export function worstDeviation(counts: readonly number[], expected: readonly number[]): number {
  return Math.max(...counts.map((count, index) => Math.abs(count - (expected[index] ?? 0))));
}

/**
 * The response time that a share of the requests does not exceed, in milliseconds, if requests come at any moment
 * of a period alike and are answered at once or at the end of the stall.
 * @param share 0 to 1
 */
export function stallQuantile({ periodMilliseconds, stallMilliseconds }: Stalls, share: number): number {
  const free = 1 - stallMilliseconds / periodMilliseconds;
  return share <= free ? 0 : (share - free) * periodMilliseconds;
}
