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

/** The workers of a service and the requests that wait for them. The moments of both calls never fall. */
export interface ServiceQueue {
  /** When a request that comes now is begun; `null` if it is dropped, since the queue is full. */
  readonly begin: (now: number) => number | null;
  /** When the request is answered that was begun last. */
  readonly finish: (begun: number, seconds: number) => number;
}

const FIRST_ROOM = 1_024;

export function createServiceQueue({
  workers,
  queue,
}: Pick<ServiceModel, 'workers' | 'queue'>): ServiceQueue {
  const freeAt = createEventQueue(workers);
  for (let worker = 0; worker < workers; worker += 1) {
    freeAt.add(0, worker);
  }
  const waiting = queue === null ? null : createWaitingLine();
  return {
    begin: (now) => {
      const begun = Math.max(now, freeAt.seconds());
      if (waiting !== null && queue !== null && begun > now) {
        if (waiting.lengthAt(now) >= queue) {
          return null;
        }
        waiting.add(begun);
      }
      return begun;
    },
    finish: (begun, seconds) => {
      const done = begun + seconds;
      freeAt.postpone(done);
      return done;
    },
  };
}

interface WaitingLine {
  /** How many wait at a moment; moments never fall. */
  readonly lengthAt: (now: number) => number;
  /** @param until not before that of the one before */
  readonly add: (until: number) => void;
}

function createWaitingLine(): WaitingLine {
  let ends = new Float64Array(FIRST_ROOM);
  let first = 0;
  let end = 0;
  return {
    lengthAt: (now) => {
      while (first < end && (ends[first] ?? 0) <= now) {
        first += 1;
      }
      return end - first;
    },
    add: (until) => {
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
