import type { LoadParameters, ParameterName } from '../contract/load-parameters.ts';
import type { LoadScenarioResult, LoadSecond } from '../contract/load-result.ts';
import type { Generators } from './shards/measure-in-shards.ts';
import type { LoadSession } from './session.ts';
import type { ThresholdRule } from './judging/threshold-expression.ts';

/** Receives the progress of a scenario. */
export interface ScenarioListener {
  /** What it does now, and for how long at most. */
  readonly onPhase: (text: string, seconds: number) => void;
  /** A second that is over. */
  readonly onSecond: (second: LoadSecond) => void;
}

export interface ScenarioContext {
  readonly session: LoadSession;
  readonly parameters: LoadParameters;
  readonly thresholds: readonly ThresholdRule[];
  readonly signal: AbortSignal;
  readonly listener: ScenarioListener;
  /** Counts requests that an engine sends, one by default; below zero, those that never left. Returns `false` once all announced requests are sent. */
  readonly spend: (requests?: number) => boolean;
  /** How many requests are left of what was announced. */
  readonly left: () => number;
  /** Generators that share the load, or `null` if this thread sends all of it. */
  readonly generators: Generators | null;
}

/** What came of a scenario, before its thresholds are judged. */
export interface ScenarioResult extends Pick<
  LoadScenarioResult,
  'measurements' | 'capacity' | 'capacitySteps' | 'windows' | 'notes'
> {
  /** Whether the search for the capacity ended at the ceiling, not at the target's limit. */
  readonly isCapacityFloor: boolean;
  /** Why there is no result, in a sentence; thresholds are then not judged. */
  readonly inconclusive: string | null;
}

/** One way to load a target. A new one is added to `LOAD_SCENARIOS`. */
export interface LoadScenario {
  readonly id: string;
  readonly title: string;
  readonly uses: readonly ParameterName[];
  readonly defaults: Partial<LoadParameters>;
  readonly thresholds: readonly string[];
  /** Whether it runs if no scenario is named. */
  readonly isUsual?: true;
  /** Whether pets are written to. */
  readonly writes?: true;
  /** Whether several generators can share it: it is plain load, and nothing else. */
  readonly divisible?: true;
  /** Whether it exceeds the limit of a key, so that the key may be banned. */
  readonly mayBan?: true;
  /** Requests at most, with these parameters; `null` if only the ceiling of the rate limits it. */
  readonly announce: (parameters: LoadParameters) => number;
  /** Requests a second that it reaches at most; the rate itself by default. */
  readonly peakRate?: (parameters: LoadParameters) => number;
  readonly run: (context: ScenarioContext) => Promise<ScenarioResult>;
}

/** A scenario that cannot be run on this target; it is skipped with this reason. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible';
}

export const EMPTY_RESULT: ScenarioResult = {
  measurements: [],
  capacity: null,
  isCapacityFloor: false,
  capacitySteps: [],
  windows: [],
  notes: [],
  inconclusive: null,
};
