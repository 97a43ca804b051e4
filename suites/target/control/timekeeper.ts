import type { ClockReading } from './control-client.ts';
import type { ServerClock } from '../../oracle/index.ts';

/**
 * Lets server time pass for checks that run side by side. In real time a wait is a timer. If the target
 * offers its clock, the clock is moved once every check waits for time, so that no exchange is under way then.
 */
export interface Timekeeper {
  readonly virtual: boolean;
  /** Whether server time also passes by itself. */
  readonly flows: boolean;
  /** Milliseconds on the suite's monotonic clock, moved along with the control clock; only differences matter. */
  now(): number;
  /** Returns once that many seconds have passed for the server. */
  sleep(seconds: number, why: string): Promise<void>;
  /** Runs a check as a participant: time moves only when each participant sleeps or is parked. */
  participate<T>(run: () => Promise<T>): Promise<T>;
  /** Waits for something other than time; `resume` is called by whoever ends the wait. An abort rejects. */
  park(): { readonly parked: Promise<void>; readonly resume: () => void };
  /** What is slept for now: reasons, and how many real seconds are left (0 with a virtual clock). */
  sleeping(): readonly { readonly why: string; readonly secondsLeft: number }[];
}

interface Sleeper {
  readonly wakeAt: number;
  readonly why: string;
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
}

/** The control clock of a target, if it has one. */
export interface MovableClock {
  /** Whether it runs on between two moves, as a real clock does. */
  readonly flows: boolean;
  /** A first reading. */
  readonly reading: ClockReading;
  readonly move: (seconds: number) => Promise<ClockReading>;
}

/** A wait that no run in real time is meant to sit through. */
export class WaitTooLong extends Error {
  override readonly name = 'WaitTooLong';
}

// Two windows, and some more.
export const LONGEST_REAL_WAIT_SECONDS = 150;

/**
 * Keeps time for one run; `control` is `null` if only real time passes. An abort ends every sleep. `clock` learns
 * from every reading of the control clock. A longer sleep than `longestRealWaitSeconds` in real time throws
 * `WaitTooLong`.
 */
export function keepTime(
  control: MovableClock | null,
  clock: Pick<ServerClock, 'learnFromControl'>,
  signal: AbortSignal,
  longestRealWaitSeconds = LONGEST_REAL_WAIT_SECONDS,
): Timekeeper {
  // Participants that neither sleep nor are parked; below 0 if somebody sleeps who is none.
  let running = 0;
  const run = (): void => {
    running += 1;
  };
  const sleepers = new Set<Sleeper>();
  const { now, moveWhenIdle, wakeDue } = moveTime(control, clock, {
    sleepers,
    isIdle: () => running <= 0,
    onWake: run,
  });
  const leave = (): void => {
    running -= 1;
    // Another check may be about to start in this very turn.
    setImmediate(moveWhenIdle);
  };

  const sleep = async (seconds: number, why: string): Promise<void> => {
    signal.throwIfAborted();
    if (control === null && seconds > longestRealWaitSeconds) {
      throw new WaitTooLong(`It would take a wait of ${Math.ceil(seconds)} s for ${why}.`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { wakeAt: now() + seconds * 1000, why, wake: resolve, fail: reject };
    sleepers.add(sleeper);
    const onAbort = (): void => {
      if (sleepers.delete(sleeper)) {
        run();
        reject(signal.reason);
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = control === null ? startTimer(sleeper, now, wakeDue) : null;
    leave();
    try {
      await promise;
    } finally {
      timer?.stop();
      signal.removeEventListener('abort', onAbort);
    }
  };

  return {
    virtual: control !== null,
    flows: control?.flows ?? true,
    now,
    sleep,
    participate: async (work) => {
      run();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    park: () => park(signal, { run, leave }),
    sleeping: () =>
      [...sleepers].map(({ why, wakeAt }) => ({
        why,
        secondsLeft: control === null ? Math.max(0, wakeAt - now()) / 1000 : 0,
      })),
  };
}

/** The suite's monotonic clock, and how it is moved along with the control clock. */
function moveTime(
  control: MovableClock | null,
  clock: Pick<ServerClock, 'learnFromControl'>,
  {
    sleepers,
    isIdle,
    onWake,
  }: { readonly sleepers: Set<Sleeper>; readonly isIdle: () => boolean; readonly onWake: () => void },
) {
  let movedMilliseconds = 0;
  let moving = false;
  const flows = control?.flows ?? true;
  const now = (): number => (flows ? performance.now() : 0) + movedMilliseconds;
  const learn = ({ now: serverNow, sentAt, receivedAt }: ClockReading): void => {
    const [from, to] = flows ? [sentAt, receivedAt] : [0, 0];
    clock.learnFromControl(serverNow, from + movedMilliseconds, to + movedMilliseconds);
  };
  if (control !== null) {
    learn(control.reading);
  }
  const wakeDue = (): void => {
    for (const sleeper of sleepers) {
      if (sleeper.wakeAt <= now()) {
        sleepers.delete(sleeper);
        onWake();
        sleeper.wake();
      }
    }
  };
  const move = async (clockToMove: MovableClock, seconds: number): Promise<void> => {
    try {
      const reading = await clockToMove.move(seconds);
      movedMilliseconds += seconds * 1000;
      learn(reading);
      wakeDue();
    } catch (error) {
      for (const sleeper of sleepers) {
        onWake();
        sleeper.fail(error);
      }
      sleepers.clear();
    }
    moving = false;
    moveWhenIdle();
  };
  const moveWhenIdle = (): void => {
    if (control === null || moving || !isIdle() || sleepers.size === 0) {
      return;
    }
    moving = true;
    const earliest = Math.min(...[...sleepers].map((sleeper) => sleeper.wakeAt));
    void move(control, Math.max(0, earliest - now()) / 1000);
  };
  return { now, wakeDue, moveWhenIdle };
}

/** Wakes a sleeper in real time. */
function startTimer({ wakeAt }: Sleeper, now: () => number, wakeDue: () => void) {
  let timer: NodeJS.Timeout | undefined;
  // A timer may fire a little early; the wait is over only when the clock says so.
  const arm = (): void => {
    timer = setTimeout(() => (now() < wakeAt ? arm() : wakeDue()), Math.max(1, wakeAt - now()));
  };
  arm();
  return { stop: () => clearTimeout(timer) };
}

function park(
  signal: AbortSignal,
  { run, leave }: { readonly run: () => void; readonly leave: () => void },
): ReturnType<Timekeeper['park']> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let ended = false;
  const end = (settle: () => void) => (): void => {
    if (!ended) {
      ended = true;
      run();
      signal.removeEventListener('abort', onAbort);
      settle();
    }
  };
  const onAbort = end(() => reject(signal.reason));
  signal.addEventListener('abort', onAbort, { once: true });
  leave();
  return { parked: promise, resume: end(resolve) };
}
