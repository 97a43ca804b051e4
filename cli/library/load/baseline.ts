import type { LoadScenarioResult } from '../../../contract/load-result.ts';

/** An earlier report of `stockcheck load`. */
export interface LoadBaseline {
  /** What the report calls it. */
  readonly file: string;
  readonly startedAt: string;
  readonly scenarios: readonly LoadScenarioResult[];
}
