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
const DONE: Step = { run: () => {}, bytes: 0 };
// For so long nothing passes.
const SLICE_MILLISECONDS = 0.5;

/**
 * Steps are worked off between the events of connections, for a short time each.
 * @param onMissed takes how many requests began and ended unseen
 */
export function openJudgingQueue(onMissed: (begun: number, ended: number) => void): JudgingQueue {
  const steps: Step[] = [];
  let bytes = 0;
  let isScheduled = false;
  // Part of the last step, as long as that is the last one.
  let missed: Missed | null = null;
  // Those before it are done.
  let next = 0;
  const workUntil = (end: number): void => {
    do {
      const step = steps[next];
      steps[next] = DONE;
      next += 1;
      bytes -= step?.bytes ?? 0;
      step?.run();
    } while (next < steps.length && performance.now() < end);
    if (next > MOST_WAITING || next === steps.length) {
      steps.splice(0, next);
      next = 0;
    }
  };
  const schedule = (): void => {
    if (!isScheduled && next < steps.length) {
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        workUntil(performance.now() + SLICE_MILLISECONDS);
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
      if (steps.length - next >= MOST_WAITING || bytes + held > MOST_BYTES) {
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
    drain: () => workUntil(Number.POSITIVE_INFINITY),
  };
}
