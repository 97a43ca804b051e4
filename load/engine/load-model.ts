import { seededRandom } from '../../contract/seeded-random.ts';
import { arrivals, type ArrivalProcess, type RateStage } from './arrivals.ts';
import type { ConnectionBehaviour, LoadRequest } from './load-request.ts';

/** Requests that arrive by a schedule of their own, whether or not earlier ones were answered. */
export interface OpenLoad {
  readonly model: 'open';
  readonly stages: readonly RateStage[];
  readonly process: ArrivalProcess;
  /** Determines random arrivals. */
  readonly seed: number;
  /** Connections at once, at most; what finds none free waits, and the wait is part of its response time. */
  readonly connections: number;
  /** What is sent in turn, over and over. */
  readonly mix: readonly LoadRequest[];
  /** How long what is under way gets when the signal ends the load; a second by default. */
  readonly graceMilliseconds?: number;
}

/** Each connection sends its next request when the last one is answered: as much as the target can take. */
interface ClosedLoad {
  readonly model: 'closed';
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, all connections together, that are never exceeded. */
  readonly maxRate: number;
}

/** As much as the target takes of the same requests, over and over. */
export interface CyclicLoad extends ClosedLoad {
  readonly source: 'mix';
  readonly mix: readonly LoadRequest[];
  /** Autocannon can measure no target that closes connections, and keeps no body without a Content-Length. */
  readonly behaviour: ConnectionBehaviour;
}

/** As much as the target takes of requests that are each made when they are due. */
export interface MadeLoad extends ClosedLoad {
  readonly source: 'made';
  /** The next request of all connections together, or `null` if there are no more. */
  readonly next: () => LoadRequest | null;
}

/** A load as a value: it can be sent to another process, so that several generators share it. */
export type DivisibleLoad = OpenLoad | CyclicLoad;

export type Load = DivisibleLoad | MadeLoad;

/** What one generator sends of a load, and from when on, as a moment of `performance.now()`. */
export interface LoadPart<Whole extends Load> {
  readonly load: Whole;
  readonly share: Share;
  readonly startsAt: number;
}

/**
 * What is due, and when, in milliseconds from the start. Every share follows the same schedule and sends each n-th request of
 * it, so that all together send exactly what a single generator does.
 */
export function* dueRequests(
  { stages, process, seed, mix }: OpenLoad,
  { index, of }: Share,
): Generator<readonly [at: number, request: LoadRequest], void, undefined> {
  let number = 0;
  for (const at of arrivals(stages, process, seededRandom(seed))) {
    if (number % of === index) {
      yield [at, pick(mix, number)];
    }
    number += 1;
  }
}

/**
 * What a connection of a share sends in turn; the connections are numbered from 0. Each begins at another place in the mix, so
 * that all keys and operations are under way at any time.
 */
export function cycleOf(
  { mix, connections }: CyclicLoad,
  share: Share,
  connection: number,
): readonly LoadRequest[] {
  const number = countBefore(connections, share) + connection;
  const begin = Math.floor((number * mix.length) / connections);
  return [...mix.slice(begin), ...mix.slice(0, begin)];
}

/** The connections of a share, its part of the highest rate, and its first slot, which lies between those of the others. */
export function paceOfPart({ load, share, startsAt }: LoadPart<CyclicLoad | MadeLoad>) {
  return {
    connections: countFor(load.connections, share),
    maxRate: load.maxRate / share.of,
    firstSlotAt: startsAt + (share.index * 1000) / load.maxRate,
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

/** One part of a load that is carried by several generators; they are numbered from 0. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

/** The load of a single generator. */
export const WHOLE: Share = { index: 0, of: 1 };

/** How many of indivisible things a share gets; the first ones get what is left over. */
export function countFor(total: number, { index, of }: Share): number {
  return Math.floor(total / of) + (index < total % of ? 1 : 0);
}

/** How many of indivisible things those before a share get. */
export function countBefore(total: number, { index, of }: Share): number {
  return index * Math.floor(total / of) + Math.min(index, total % of);
}
