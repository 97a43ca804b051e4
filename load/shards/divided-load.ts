import type { LoadSecond } from '../../contract/load-result.ts';
import type { TargetClient } from '../../suites/target/index.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import type { DivisibleLoad } from '../engine/load-model.ts';
import type { LoadTarget } from '../engine/load-request.ts';
import type { Trip } from '../judging/circuit-breaker.ts';

/** A load that several generators share. */
export interface DividedLoad {
  readonly load: DivisibleLoad;
  readonly target: LoadTarget;
  /** Gets what the generators' monitors found. */
  readonly client: TargetClient;
  readonly warmUpMilliseconds: number;
  readonly movesClock: boolean;
  readonly expectsRefusals: boolean;
  /** Requests that all generators together may send, at most. */
  readonly budget: number;
  readonly signal: AbortSignal;
  readonly onSecond: (second: LoadSecond) => void;
}

/** What all generators measured together. */
export interface DividedRun {
  readonly runs: readonly EngineRun[];
  /** Requests sent, at most. */
  readonly spent: number;
  /** Moment of `performance.now()` here at which the load began. */
  readonly startedAt: number;
  readonly trip: Trip | null;
  /** Why the figures are not valid, in sentences. */
  readonly invalid: readonly string[];
  /** In sentences. */
  readonly notes: readonly string[];
}

/** Generators that share a load: threads of this process, or the workers of a fleet. */
export interface Generators {
  /** Gives each generator its share, starts all of them at the same moment, and collects what they measured. */
  readonly run: (fleetLoad: DividedLoad) => Promise<DividedRun>;
  /** Ends with a sentence as its reason when no more load can be given to them. */
  readonly lost: AbortSignal;
}
