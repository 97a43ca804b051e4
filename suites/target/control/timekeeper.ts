import type { ClockReading } from './control-client.ts';
import type { ClockDrift, ServerClock } from '../../oracle/index.ts';

/**
 * Lets server time pass for checks that run side by side. In real time a wait is a timer. If the target
 * offers its clock, the clock is moved once every check waits for time, so that no exchange is under way then.
 */
export interface Timekeeper {
  readonly virtual: boolean;
  /** Whether server time also passes by itself. */
  readonly flows: boolean;
  /** Milliseconds that pass as the control clock says, or else in real time; only differences matter. */
  now(): number;
  /** Returns once that many seconds have surely passed for the server. An abort rejects; by default that of the run. */
  sleep(seconds: number, why: string, until?: AbortSignal): Promise<void>;
  /** Runs a check as a participant: time moves only when each participant sleeps or is parked. */
  participate<T>(run: () => Promise<T>): Promise<T>;
  /** Runs several at once in the place of the participant that calls it, each of which may sleep by itself. */
  sideBySide(works: readonly (() => Promise<void>)[]): Promise<void>;
  /** Waits for something other than time; `resume` is called by whoever ends the wait. An abort rejects. */
  park(): { readonly parked: Promise<void>; readonly resume: () => void };
  /** What is slept for now: reasons, and how many real seconds are left (0 with a virtual clock). */
  sleeping(): readonly { readonly why: string; readonly secondsLeft: number }[];
}

interface Sleeper {
  readonly since: number;
  wakeAt: number;
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
  const runClock = followControlClock(control, clock);
  const { now } = runClock;
  const { moveWhenIdle, wakeDue } = moveTime(control, runClock, {
    sleepers,
    isIdle: () => running <= 0,
    onWake: run,
  });
  const leave = (): void => {
    running -= 1;
    // Another check may be about to start in this very turn.
    setImmediate(moveWhenIdle);
  };

  const sleep = async (seconds: number, why: string, until = signal): Promise<void> => {
    until.throwIfAborted();
    if (control === null && seconds > longestRealWaitSeconds) {
      throw new WaitTooLong(`It would take a wait of ${Math.ceil(seconds)} s for ${why}.`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const since = now();
    const wakeAt = since + seconds * 1000 + runClock.blur();
    const sleeper: Sleeper = { since, wakeAt, why, wake: resolve, fail: reject };
    sleepers.add(sleeper);
    const onAbort = (): void => {
      if (sleepers.delete(sleeper)) {
        run();
        reject(until.reason);
      }
    };
    until.addEventListener('abort', onAbort, { once: true });
    const timer = control === null ? startTimer(sleeper, now, wakeDue) : null;
    leave();
    try {
      await promise;
    } finally {
      timer?.stop();
      until.removeEventListener('abort', onAbort);
    }
  };

  const participate = async <T>(work: () => Promise<T>): Promise<T> => {
    run();
    try {
      return await work();
    } finally {
      leave();
    }
  };

  return {
    virtual: control !== null,
    flows: control?.flows ?? true,
    now,
    sleep,
    participate,
    sideBySide: async (works) => {
      leave();
      await Promise.all(works.map(participate)).finally(run);
    },
    park: () => park(signal, { run, leave }),
    sleeping: () =>
      [...sleepers].map(({ why, wakeAt }) => ({
        why,
        secondsLeft: control === null ? Math.max(0, wakeAt - now()) / 1000 : 0,
      })),
  };
}

/** The run's own clock: it passes as the control clock says, and between two readings as real time does. */
interface RunClock {
  readonly now: () => number;
  /** The same by the last reading alone, which is behind `now()` if the control clock lost time since the one before. */
  readonly byReading: () => number;
  /** By so many milliseconds the control clock may be ahead of its last reading. */
  readonly blur: () => number;
  /**
   * Learns from a reading after a move.
   * @returns by how many milliseconds the control clock may have gained since the reading before
   */
  readonly learn: (reading: ClockReading, movedMilliseconds: number) => number;
  /** When the last reading came, by this clock and in real time. */
  readonly last: () => Moment;
}

interface Moment {
  readonly real: number;
  readonly at: number;
}

const SECOND_MILLISECONDS = 1_000;
// As much gets lost where Unix seconds are rounded to a double.
const LOST_MILLISECONDS = 0.001;

function followControlClock(
  control: MovableClock | null,
  clock: Pick<ServerClock, 'learnFromControl'>,
): RunClock {
  const flows = control?.flows ?? true;
  let last: Moment = { real: 0, at: 0 };
  let latest = Number.NEGATIVE_INFINITY;
  let blur = 0;
  const at = (real: number): number => last.at + (flows ? real - last.real : 0);
  const byReading = (): number => at(performance.now());
  const now = (): number => (latest = Math.max(latest, byReading()));
  if (control === null) {
    return { now, byReading, blur: () => 0, learn: () => 0, last: () => last };
  }

  // A clock of whole seconds is taken at its word only where that contradicts how far it was moved.
  let isWhole = true;
  let hasDrifted = false;
  let ahead = { low: 0, high: 0 };
  let mostAhead = 0;
  let drift: KnownDrift = { gains: 0, loses: 0, unseen: UNSEEN_DRIFT };
  let tookBefore = 0;
  const { now: first, receivedAt: firstAt } = control.reading;
  last = { real: firstAt, at: flows ? firstAt : 0 };
  const zero = first * 1000 - last.at;

  const learn: RunClock['learn'] = ({ now: told, sentAt, receivedAt }, movedMilliseconds) => {
    isWhole &&= Number.isInteger(told);
    const took = flows ? receivedAt - sentAt : 0;
    const low = told * 1000 - zero;
    const span = took + (isWhole ? SECOND_MILLISECONDS : 0);
    const expected = at(receivedAt) + movedMilliseconds;
    const gained = low - (expected - took);
    const [from, to] = [Math.max(ahead.low, low - expected), Math.min(ahead.high, low + span - expected)];
    // What a move was short of or too far by, and what is rounded off, is no drift.
    if (movedMilliseconds === 0 && !isWhole) {
      const seen = { gained: low - expected, lost: expected - low - span, hidden: tookBefore + took };
      drift = furtherDrift(drift, receivedAt - last.real, seen);
    }
    tookBefore = took;
    const isAsExpected = isWhole && from <= to + LOST_MILLISECONDS;
    hasDrifted ||= isWhole && !isAsExpected;
    // What came before is still judged by this clock, so it is as far ahead as it ever was.
    mostAhead = isAsExpected ? to : Math.max(mostAhead, span);
    ahead = isAsExpected ? { low: from, high: to } : { low: 0, high: span };
    last = { real: receivedAt, at: isAsExpected ? expected : low };
    blur = isWhole && !hasDrifted ? 0 : span;
    const earliest = zero + last.at + ahead.low;
    const latest = zero + last.at + mostAhead;
    clock.learnFromControl({ earliest: earliest / 1000, latest: latest / 1000 }, last.at, {
      gains: Math.max(drift.gains, drift.unseen),
      loses: Math.max(drift.loses, drift.unseen),
    });
    return isWhole ? 0 : Math.max(0, gained);
  };
  ahead = { low: 0, high: SECOND_MILLISECONDS + control.reading.receivedAt - control.reading.sentAt };
  learn(control.reading, 0);
  return { now, byReading, blur: () => blur, learn, last: () => last };
}

// A clock that runs too fast is asked again before it has gained much.
const UNWATCHED_MILLISECONDS = 250;
// What is surely gained or lost is less than what really is.
const DRIFT_ALLOWANCE = 1.5;
// No clock that was read just once is taken to go more wrongly.
const UNSEEN_DRIFT = 0.03;

interface KnownDrift extends ClockDrift {
  /** The share of real time that readings may have hidden. */
  readonly unseen: number;
}

/**
 * What a clock is seen to gain or lose of real time, at most. On a busy machine it is not read again for a minute and more.
 * @param elapsed milliseconds since the reading before
 * @param seen milliseconds that it surely gained or lost in them, and those that the readings may hide
 */
function furtherDrift(
  known: KnownDrift,
  elapsed: number,
  seen: { readonly gained: number; readonly lost: number; readonly hidden: number },
): KnownDrift {
  if (elapsed < UNWATCHED_MILLISECONDS) {
    return known;
  }
  const share = (milliseconds: number): number => (DRIFT_ALLOWANCE * milliseconds) / elapsed;
  return {
    gains: Math.max(known.gains, share(seen.gained)),
    loses: Math.max(known.loses, share(seen.lost)),
    unseen: Math.min(known.unseen, seen.hidden / elapsed),
  };
}

// An answer that took longer leaves open by how much the clock is ahead of it; so it is asked again, a few times.
const PROMPT_MILLISECONDS = 50;
const READINGS = 4;

/** Moves a clock by so many milliseconds, and reads it as precisely as a few more readings tell. */
async function moveAndRead({ move }: MovableClock, milliseconds: number): Promise<ClockReading> {
  let reading = await move(milliseconds / 1000);
  for (let readings = 1; readings < READINGS; readings += 1) {
    if (reading.receivedAt - reading.sentAt <= PROMPT_MILLISECONDS) {
      break;
    }
    reading = await move(0);
  }
  return reading;
}

// More is not lost by carrying out a move.
const MOST_FURTHER_MILLISECONDS = 1_000;

/** Moves the control clock to the moment at which the first sleeper is to wake. */
function moveTime(
  control: MovableClock | null,
  { now, byReading, learn, last }: RunClock,
  {
    sleepers,
    isIdle,
    onWake,
  }: { readonly sleepers: Set<Sleeper>; readonly isIdle: () => boolean; readonly onWake: () => void },
) {
  let moving = false;
  // A clock that falls behind with each of them is moved further each time.
  let movesSinceWake = 0;
  const wakeDue = (): void => {
    const moment = control === null ? now() : byReading() + LOST_MILLISECONDS;
    for (const sleeper of sleepers) {
      if (sleeper.wakeAt <= moment) {
        sleepers.delete(sleeper);
        onWake();
        sleeper.wake();
        movesSinceWake = 0;
      }
    }
  };
  const lookAgain = async (clock: MovableClock): Promise<void> => {
    const before = last();
    if (clock.flows && performance.now() - before.real > UNWATCHED_MILLISECONDS) {
      const gained = learn(await moveAndRead(clock, 0), 0);
      for (const sleeper of sleepers) {
        sleeper.wakeAt += sleeper.since >= before.at ? gained : 0;
      }
    }
  };
  const moveOn = async (clockToMove: MovableClock): Promise<void> => {
    try {
      // Nobody is to see time run backwards, so a clock that lost time is moved to where it should be.
      const reached = now();
      await lookAgain(clockToMove);
      const earliest = Math.min(...[...sleepers].map((sleeper) => sleeper.wakeAt));
      const missing = Math.max(earliest, reached) - byReading();
      if (sleepers.size > 0 && missing > LOST_MILLISECONDS) {
        const further = Math.min(missing * (2 ** movesSinceWake - 1), MOST_FURTHER_MILLISECONDS);
        const asked = Math.ceil(missing + further);
        movesSinceWake += 1;
        learn(await moveAndRead(clockToMove, asked), asked);
      }
      if (byReading() >= reached - LOST_MILLISECONDS) {
        wakeDue();
      }
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
    if (control !== null && !moving && isIdle() && sleepers.size > 0) {
      moving = true;
      void moveOn(control);
    }
  };
  return { wakeDue, moveWhenIdle };
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
