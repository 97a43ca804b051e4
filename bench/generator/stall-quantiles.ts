import type { Stalls } from '../../fixtures/load-targets/answer-times.ts';

/**
 * The response time that a share of the requests does not exceed, in milliseconds, if requests come at any moment
 * of a period alike and are answered at once or at the end of the stall.
 * @param share 0 to 1
 */
export function stallQuantile({ periodMilliseconds, stallMilliseconds }: Stalls, share: number): number {
  const free = 1 - stallMilliseconds / periodMilliseconds;
  return share <= free ? 0 : (share - free) * periodMilliseconds;
}
