/** Milliseconds of a clock that never goes back and that all threads of a process share. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * What has to be added to `monotonicNow()` for the time that all shards share, Unix milliseconds by Redis in a fleet, and by
 * how much that may be wrong.
 */
export interface ClockOffset {
  readonly milliseconds: number;
  readonly uncertainty: number;
}
