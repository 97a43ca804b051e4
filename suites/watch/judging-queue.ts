/** A step that waits to be judged, and the bytes that it holds until then. */
interface Step {
  readonly run: () => void;
  readonly bytes: number;
}

/** Requests that began and ended unseen, one after the other. */
interface Missed {
  begun: number;
  ended: number;
}

/** What is to be judged, in the order in which it happened. */
export interface JudgingQueue {
  /** @returns whether there was room */
  readonly add: (run: () => void, bytes: number) => boolean;
  /** Adds what follows from a step that there was room for. */
  readonly follow: (run: () => void, bytes: number) => void;
  /** Notes what nobody judges; any number of them in a row take the room of one. */
  readonly miss: (begun: number, ended: number) => void;
  /** Works off what waits. */
  readonly drain: () => void;
}

// Beyond that, exchanges pass unjudged, so that neither traffic is held up nor memory filled.
const MOST_WAITING = 2_000;
const MOST_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 8;

/**
 * Steps are worked off between the events of connections, a few at a time.
 * @param onMissed takes how many requests began and ended unseen
 */
export function openJudgingQueue(onMissed: (begun: number, ended: number) => void): JudgingQueue {
  const steps: Step[] = [];
  let bytes = 0;
  let isScheduled = false;
  // Part of the last step, as long as that is the last one.
  let missed: Missed | null = null;
  const work = (most: number): void => {
    for (const step of steps.splice(0, most)) {
      bytes -= step.bytes;
      step.run();
    }
  };
  const schedule = (): void => {
    if (!isScheduled && steps.length > 0) {
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        work(AT_ONCE);
        schedule();
      });
    }
  };
  const push = (step: Step): void => {
    steps.push(step);
    bytes += step.bytes;
    schedule();
  };
  const follow = (run: () => void, held: number): void => {
    missed = null;
    push({ run, bytes: held });
  };
  return {
    add: (run, held) => {
      if (steps.length >= MOST_WAITING || bytes + held > MOST_BYTES) {
        return false;
      }
      follow(run, held);
      return true;
    },
    follow,
    miss: (begun, ended) => {
      if (missed !== null) {
        missed.begun += begun;
        missed.ended += ended;
        return;
      }
      const own: Missed = { begun, ended };
      missed = own;
      push({
        run: () => {
          missed = missed === own ? null : missed;
          onMissed(own.begun, own.ended);
        },
        bytes: 0,
      });
    },
    drain: () => {
      work(steps.length);
    },
  };
}
