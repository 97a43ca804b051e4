import type { ConnectionBehaviour } from './connection-probe.ts';
import { seededRandom } from '../../contract/seeded-random.ts';
import type { ArrivalProcess, RateStage } from './arrivals.ts';
import type { ClosedModel } from './closed-model.ts';
import type { LoadRequest } from './load-request.ts';
import type { OpenModel } from './open-model.ts';
import { countBefore, countFor, type Share } from './share.ts';

/** Requests that arrive by a schedule. */
export interface OpenLoad {
  readonly model: 'open';
  readonly stages: readonly RateStage[];
  readonly process: ArrivalProcess;
  /** Determines random arrivals. */
  readonly seed: number;
  /** Connections at once, at most. */
  readonly connections: number;
  /** What is sent in turn, over and over. */
  readonly mix: readonly LoadRequest[];
  /** How long what is under way gets when the signal ends the load; a second by default. */
  readonly graceMilliseconds?: number;
}

/** As much as the target takes of the same requests, over and over. */
export interface CyclicLoad {
  readonly model: 'closed';
  readonly source: 'mix';
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second that are never exceeded. */
  readonly maxRate: number;
  readonly mix: readonly LoadRequest[];
  readonly behaviour: ConnectionBehaviour;
}

/** As much as the target takes of requests that are each made when they are due. */
interface MadeLoad {
  readonly model: 'closed';
  readonly source: 'made';
  readonly connections: number;
  readonly seconds: number;
  readonly maxRate: number;
  /** The next request of all connections together, or `null` if there are no more. */
  readonly next: () => LoadRequest | null;
}

/** A load as a value: it can be sent to another process, so that several generators share it. */
export type DivisibleLoad = OpenLoad | CyclicLoad;

export type Load = DivisibleLoad | MadeLoad;

/**
 * A share of an open load. Every share follows the same schedule and sends each n-th request of it, so that all
 * together send exactly what a single generator does.
 * @param startsAt moment of `performance.now()`
 */
export function openModelOf(load: OpenLoad, share: Share, startsAt: number): OpenModel {
  const { model, stages, process, seed, connections, mix, graceMilliseconds } = load;
  return {
    model,
    stages,
    process,
    random: seededRandom(seed),
    startsAt,
    share,
    connections: countFor(connections, share),
    request: (index) => pick(mix, index),
    ...(graceMilliseconds === undefined ? {} : { graceMilliseconds }),
  };
}

/**
 * A share of the connections of a closed load, and of its highest rate.
 * @param startsAt moment of `performance.now()`; the slots of the rate lie between those of the other shares
 */
export function closedModelOf(load: CyclicLoad | MadeLoad, share: Share, startsAt: number): ClosedModel {
  const { model, seconds, maxRate } = load;
  const common = {
    model,
    seconds,
    maxRate: maxRate / share.of,
    connections: countFor(load.connections, share),
    firstSlotAt: startsAt + (share.index * 1000) / maxRate,
  };
  if (load.source === 'made') {
    return { ...common, source: { kind: 'each', next: load.next } };
  }
  const { mix, behaviour, connections } = load;
  const before = countBefore(connections, share);
  return {
    ...common,
    source: {
      kind: 'cycles',
      behaviour,
      // Each connection begins at another place in the mix, so that all keys and operations are under way at any time.
      requests: (connection) => {
        const begin = Math.floor(((before + connection) * mix.length) / connections);
        return [...mix.slice(begin), ...mix.slice(0, begin)];
      },
    },
  };
}

/** The item of a cycle at an index that may go on beyond its end. @throws {RangeError} if there is none */
export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) {
    throw new RangeError('There is nothing to send');
  }
  return item;
}
