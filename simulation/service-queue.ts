import { createEventQueue } from './event-queue.ts';

/** How fast a service works: equal workers that take requests in the order in which they come. */
export interface ServiceModel {
  readonly workers: number;
  /** Of an accepted request. */
  readonly serviceSeconds: number;
  /** What a refusal costs, as a share of an accepted request. */
  readonly refusalShare: number;
  /** Requests that may wait for a worker; `null` for any number. */
  readonly queue: number | null;
}

const FIRST_ROOM = 1_024;

/** The workers of a service and the requests that wait for them. The moments of both calls never fall. */
export function createServiceQueue({ workers, queue }: Pick<ServiceModel, 'workers' | 'queue'>) {
  const freeAt = createEventQueue(workers);
  for (let worker = 0; worker < workers; worker += 1) {
    freeAt.add(0, worker);
  }
  const waiting = queue === null ? null : createWaitingLine();
  return {
    /** When a request that comes now is begun; `null` if it is dropped, since the queue is full. */
    begin: (now: number): number | null => {
      const begun = Math.max(now, freeAt.seconds());
      if (waiting !== null && queue !== null && begun > now) {
        if (waiting.lengthAt(now) >= queue) {
          return null;
        }
        waiting.add(begun);
      }
      return begun;
    },
    /** When the request is answered that was begun last. */
    finish: (begun: number, seconds: number): number => {
      const done = begun + seconds;
      freeAt.postpone(done);
      return done;
    },
  };
}

/** Those that wait for a worker. */
function createWaitingLine() {
  let ends = new Float64Array(FIRST_ROOM);
  let first = 0;
  let end = 0;
  return {
    /** How many there are at a moment; moments never fall. */
    lengthAt: (now: number): number => {
      while (first < end && (ends[first] ?? 0) <= now) {
        first += 1;
      }
      return end - first;
    },
    /** @param until not before that of the one before */
    add: (until: number): void => {
      if (end === ends.length) {
        const kept = ends.subarray(first, end);
        const roomier = new Float64Array(Math.max(FIRST_ROOM, 2 * kept.length));
        roomier.set(kept);
        end = kept.length;
        first = 0;
        ends = roomier;
      }
      ends[end] = until;
      end += 1;
    },
  };
}
