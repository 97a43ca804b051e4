import type { TimeSpan } from '../../suites/oracle/index.ts';
import type { DivisibleLoad } from '../engine/load-model.ts';
import type { LoadTarget } from '../engine/load-request.ts';
import type { DividedLoad } from './divided-load.ts';

/** A load as it can be posted to the generators. It holds the secrets of its keys. */
export interface ShardPlan {
  readonly target: LoadTarget;
  readonly load: DivisibleLoad;
  /** Secrets that must not be shown, each with its label. */
  readonly secrets: readonly (readonly [secret: string, label: string])[];
  /**
   * A moment of the time that all shards share at which the target's own clock was within the span, if that is known better
   * than from Date headers.
   */
  readonly clock: { readonly at: number; readonly span: TimeSpan } | null;
  readonly warmUpMilliseconds: number;
  readonly movesClock: boolean;
  /** Requests that all shards together may send. */
  readonly budget: number;
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
