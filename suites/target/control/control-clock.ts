import { setTimeout as delay } from 'node:timers/promises';
import {
  CONTROL_ATTEMPTS,
  ControlError,
  ControlUnanswered,
  type ClockReading,
  type ControlClient,
} from './control-client.ts';
import type { MovableClock } from './timekeeper.ts';

// Two readings this far apart show whether a clock stands still or runs.
const PROBE_MILLISECONDS = 30;
const WHOLE_SECOND_MILLISECONDS = 1_020;
const ROUNDING_SECONDS = 1;
// A clock may move on by less than it was told, in larger steps, and by so much at once; it is moved again then.
const STUCK_SECONDS = 10;
const MOST_STUCK = 10;

/** The control clock as the timekeeper moves it, or `null` if the target does not offer it. */
export async function findMovableClock(control: ControlClient | null): Promise<MovableClock | null> {
  if (control === null || !control.capabilities.has('clock')) {
    return null;
  }
  const first = await control.readClock();
  await delay(PROBE_MILLISECONDS);
  let second = await control.readClock();
  if (first !== undefined && second?.now === first.now && Number.isInteger(first.now)) {
    // A clock that tells whole seconds only shows within one whether it runs.
    await delay(WHOLE_SECOND_MILLISECONDS);
    second = await control.readClock();
  }
  if (first === undefined || second === undefined) {
    return null;
  }
  let latest = second;
  let stuck = 0;
  let waited = 0;
  const flows = second.now - first.now > PROBE_MILLISECONDS / 2_000;
  return {
    flows,
    reading: second,
    move: async (seconds) => {
      // A longer wait is another one, which is not to go too far for what was too little before.
      stuck = seconds > 2 * waited ? 0 : stuck;
      waited = seconds;
      const asked = seconds * 2 ** stuck;
      const before = latest.now;
      latest = await advanceOnce(control, { latest, flows, seconds: asked });
      const rounding = Number.isInteger(latest.now) ? ROUNDING_SECONDS : 0;
      stuck = latest.now - before < Math.min(asked / 2, STUCK_SECONDS) - rounding ? stuck + 1 : 0;
      if (stuck > MOST_STUCK) {
        throw new ControlError(
          `The control clock was to advance by ${asked} s, but went from ${before} to ${latest.now}. Waits take a clock that moves on as it is told.`,
        );
      }
      return latest;
    },
  };
}

/** Advances the clock. If a call gets no answer, the clock itself tells how much is still to be advanced. */
async function advanceOnce(
  control: ControlClient,
  { latest, flows, seconds }: { latest: ClockReading; flows: boolean; seconds: number },
): Promise<ClockReading> {
  let missing = seconds;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await control.advance(missing);
    } catch (error) {
      if (attempt === CONTROL_ATTEMPTS || !(error instanceof ControlUnanswered)) {
        throw error;
      }
    }
    const found = await control.readClock();
    if (found === undefined) {
      throw new ControlError('The control URL no longer tells the time.');
    }
    // The most that may have passed by itself: a clock a little ahead is harmless, one that is behind is not.
    const passed = flows ? (found.receivedAt - latest.sentAt) / 1000 : 0;
    missing = latest.now + passed + seconds - found.now;
    if (missing <= 0) {
      return found;
    }
  }
}
