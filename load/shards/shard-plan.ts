import { type RequestMessage, newUsage, type Key, type TimeSpan } from '../../suites/oracle/index.ts';
import type { DividedLoad } from './divided-load.ts';
import type { CyclicLoad, DivisibleLoad, OpenLoad } from '../engine/load-model.ts';
import type { LoadRequest, LoadTarget } from '../engine/load-request.ts';

/** A load as JSON carries it to the generators. It holds the secrets of its keys. */
export interface ShardPlan {
  readonly target: LoadTarget;
  readonly load: Omit<OpenLoad, 'mix'> | Omit<CyclicLoad, 'mix'>;
  readonly mix: readonly PlannedRequest[];
  readonly keys: readonly PlannedKey[];
  /** Secrets that must not be shown, each with its label. */
  readonly secrets: readonly (readonly [secret: string, label: string])[];
  /** The target's own clock, if it is known better than from Date headers. */
  readonly clock: PlannedClock | null;
  readonly warmUpMilliseconds: number;
  readonly movesClock: boolean;
  /** Requests that all shards together may send. */
  readonly budget: number;
  /** By how many milliseconds whoever planned it may be wrong about the time that all shards share. */
  readonly uncertainty: number;
}

interface PlannedRequest {
  readonly message: Omit<RequestMessage, 'body'> & { readonly body: string | null };
  /** Index of its key, or `null` without one. */
  readonly key: number | null;
  readonly authorization: readonly string[];
  readonly operation: string;
}

interface PlannedKey extends Omit<Key, 'usage'> {
  readonly accepted: number;
  readonly refusals: number;
}

interface PlannedClock {
  /** Moment of the time that all shards share at which the target's clock was within the span. */
  readonly at: number;
  readonly span: TimeSpan;
}

/**
 * @param now by the time that all shards share, in milliseconds, wrong by `uncertainty` at most
 * @throws {TypeError} for a request that JSON cannot carry
 */
export function shardPlanOf(divided: DividedLoad, now: number, uncertainty: number): ShardPlan {
  const { load, target, client, warmUpMilliseconds, budget } = divided;
  const { mix, ...rest } = load;
  const keys = [...new Set(mix.flatMap(({ key }) => key ?? []))];
  const span = client.clock.source === 'control' ? client.clock.at(client.time.now()) : undefined;
  return {
    target,
    load: rest,
    mix: mix.map((request) => ({
      message: { ...request.message, body: textBody(request.message) },
      key: request.key === null ? null : keys.indexOf(request.key),
      authorization: request.authorization,
      operation: request.operation,
    })),
    keys: keys.map(({ label, secret, plan, limits, issued, usedToday, usage: { accepted, refusals } }) => ({
      label,
      secret,
      plan,
      limits,
      issued,
      usedToday,
      accepted,
      refusals,
    })),
    secrets: client.redactor.secrets(),
    clock: span === undefined ? null : { at: now, span },
    warmUpMilliseconds,
    // Shards cannot judge Reset against a clock that stands still.
    movesClock: divided.movesClock || !client.time.flows,
    budget,
    uncertainty,
  };
}

function textBody({ body, method, path }: RequestMessage): string | null {
  if (body instanceof Uint8Array) {
    throw new TypeError(`The body of ${method} ${path} is not text, so no other generator can send it`);
  }
  return body;
}

/** The load that was planned, with its keys as a shard uses them. */
export function loadOf({ load, mix, keys }: Pick<ShardPlan, 'load' | 'mix' | 'keys'>): DivisibleLoad {
  const known = keys.map(({ accepted, refusals, ...key }): Key => ({
    ...key,
    usage: { ...newUsage(), accepted, refusals },
  }));
  const requests = mix.map(({ key, ...request }): LoadRequest => ({
    ...request,
    key: key === null ? null : (known[key] ?? null),
  }));
  return { ...load, mix: requests };
}
