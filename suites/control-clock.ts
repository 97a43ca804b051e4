import { setTimeout as delay } from 'node:timers/promises';
import { ControlError, type ControlClient } from './control-client.ts';
import type { MovableClock } from './timekeeper.ts';

// Two readings this far apart tell a clock that stands still from one that runs.
const PROBE_MILLISECONDS = 30;
const ROUNDING_SECONDS = 1;

/** The control clock as the timekeeper moves it, or `null` where the target does not offer it. */
export async function findMovableClock(control: ControlClient | null): Promise<MovableClock | null> {
  if (control === null || !control.capabilities.has('clock')) {
    return null;
  }
  const first = await control.readClock();
  await delay(PROBE_MILLISECONDS);
  const second = await control.readClock();
  if (first === undefined || second === undefined) {
    return null;
  }
  let latest = second;
  return {
    flows: second.now - first.now > PROBE_MILLISECONDS / 2_000,
    reading: second,
    move: async (seconds) => {
      const reading = await control.advance(seconds);
      if (reading.now < latest.now + seconds - ROUNDING_SECONDS) {
        throw new ControlError(
          `The control clock was to advance by ${seconds} s, but went from ${latest.now} to ${reading.now}.`,
        );
      }
      latest = reading;
      return reading;
    },
  };
}
