import type { LoadSecond } from '../../contract/load-result.ts';
import type { TimeSpan } from '../../suites/oracle/index.ts';
import type { TargetClient } from '../../suites/target/index.ts';
import type { EngineRun } from '../engine/engine-run.ts';
import type { DivisibleLoad } from '../engine/load-model.ts';
import type { LoadTarget } from '../engine/load-request.ts';
import type { Trip } from '../judging/circuit-breaker.ts';

/** What all shards of a load have in common. */
interface CommonLoad {
  readonly target: LoadTarget;
  readonly load: DivisibleLoad;
  readonly warmUpMilliseconds: number;
  readonly movesClock: boolean;
  /** Requests that all shards together may send, at most. */
  readonly budget: number;
}

/** A load that several generators share. */
export interface DividedLoad extends CommonLoad {
  /** Gets what the generators' monitors found. */
  readonly client: TargetClient;
  readonly expectsRefusals: boolean;
  readonly signal: AbortSignal;
  readonly onSecond: (second: LoadSecond) => void;
}

/** A load as it can be posted to the generators. It holds the secrets of its keys. */
export interface ShardPlan extends CommonLoad {
  /** Secrets that must not be shown, each with its label. */
  readonly secrets: readonly (readonly [secret: string, label: string])[];
  /**
   * A moment of the time that all shards share at which the target's own clock was within the span, if that is known better
   * than from Date headers.
   */
  readonly clock: { readonly at: number; readonly span: TimeSpan } | null;
  /** By how many milliseconds whoever planned it may be wrong about the time that all shards share. */
  readonly uncertainty: number;
}

/** @param now by the time that all shards share, in milliseconds, wrong by `uncertainty` at most */
export function shardPlanOf(divided: DividedLoad, now: number, uncertainty: number): ShardPlan {
  const { load, target, client, movesClock, warmUpMilliseconds, budget } = divided;
  const span = client.clock.source === 'control' ? client.clock.at(client.time.now()) : undefined;
  return {
    target,
    load,
    secrets: client.redactor.secrets(),
    clock: span === undefined ? null : { at: now, span },
    warmUpMilliseconds,
    // Shards cannot judge Reset against a clock that stands still.
    movesClock: movesClock || !client.time.flows,
    budget,
    uncertainty,
  };
}

/** What all generators measured together. */
export interface DividedRun {
  readonly runs: readonly EngineRun[];
  /** Requests sent, at most. */
  readonly spent: number;
  readonly trip: Trip | null;
  /** Why the figures are not valid, in sentences. */
  readonly invalid: readonly string[];
  /** In sentences. */
  readonly notes: readonly string[];
}

/** Generators that share a load: threads of this process, or the workers of a fleet. */
export interface Generators {
  /** Gives each generator its share, starts all of them at the same moment, and collects what they measured. */
  readonly run: (divided: DividedLoad) => Promise<DividedRun>;
  /** Ends with a sentence as its reason when no more load can be given to them. */
  readonly lost: AbortSignal;
}
