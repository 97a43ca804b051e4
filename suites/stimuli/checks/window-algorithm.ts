import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  planningLimits,
  TWO_WINDOWS_SECONDS,
} from '../../oracle/index.ts';
import { Undecided } from '../check-context.ts';
import { cheapestRequest, smallKeys } from '../provoking/use-up.ts';

/** What X-RateLimit-Reset shows about windows. */
type WindowAlgorithmShown = 'sliding' | 'fixed, aligned to the clock' | 'fixed, from the first request';

// Reset is in whole seconds, and may be rounded either way.
const ROUNDING_SECONDS = 2;
// Beyond this, when a slow target counted a request tells nothing by itself.
const BLUR_SECONDS = 2;
const SHORTEST_LEAP_SECONDS = 60 - ROUNDING_SECONDS;

/** An X-RateLimit-Reset in Unix seconds, and between which milliseconds of the timekeeper it was asked for. */
export interface ResetReading {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly reset: number;
}

/** What an accepted request says of windows of that limit; headers that speak of another window tell nothing. */
export function readReset(exchange: Exchange, limit: number): ResetReading | undefined {
  const { sentAt, receivedAt } = exchange;
  const shown = rateLimitOf(exchange);
  return isAccepted(exchange) && shown?.limit === limit
    ? { sentAt, receivedAt, reset: shown.reset }
    : undefined;
}

/**
 * How the windows of a minute move.
 * @param within readings in the order in which they were asked for, the first of them in a fresh window
 * @param fresh the first one of a later fresh window, at another phase of the minute
 * @returns `undefined` if a reading is missing, or came so slowly that it fits both kinds of fixed windows
 */
export function algorithmShown(
  within: readonly (ResetReading | undefined)[],
  fresh: ResetReading | undefined,
): WindowAlgorithmShown | undefined {
  const readings = within.filter((reading) => reading !== undefined);
  const [first] = readings;
  if (first === undefined || fresh === undefined || readings.length < within.length) {
    return undefined;
  }
  const resets = [...readings, fresh].map(({ reset }) => reset);
  const steps = resets.slice(1).map((reset, index) => reset - (resets[index] ?? reset));
  // A fixed window keeps its Reset to its end, and leaps by a whole window then.
  if (steps.some((step) => step >= ROUNDING_SECONDS && step < SHORTEST_LEAP_SECONDS)) {
    return 'sliding';
  }
  const shortest = (fresh.sentAt - first.receivedAt) / 1000;
  const longest = (fresh.receivedAt - first.sentAt) / 1000;
  const apart = fresh.reset - first.reset;
  // Windows from the first request are as far apart as these requests, aligned ones by whole windows.
  const movesAlong = apart >= shortest - ROUNDING_SECONDS && apart <= longest + ROUNDING_SECONDS;
  const isAligned = Math.abs(apart - Math.round(apart / MINUTE_SECONDS) * MINUTE_SECONDS) < ROUNDING_SECONDS;
  if (longest - shortest > BLUR_SECONDS && movesAlong === isAligned) {
    return undefined;
  }
  return movesAlong ? 'fixed, from the first request' : 'fixed, aligned to the clock';
}

// Seconds after the first request; the last of these shows whether requests leave the window one by one.
const WITHIN_SECONDS = [0, 20, 40, 70];
// Other than a divisor of a minute.
const SHIFT_SECONDS = 13;
const ATTEMPTS = 3;

/** Looks at X-RateLimit-Reset at several moments of a window, and of another one. */
export const windowAlgorithm: Check = {
  id: 'window-algorithm-by-reset',
  title: 'How the windows of a minute move, as X-RateLimit-Reset shows it',
  judges: ['window-algorithm'],
  needs: needsOfIssuedKeys(smallKeys(1, ATTEMPTS)),
  run: async (context) => {
    const key = context.key();
    const limit = planningLimits(key).perMinute;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const within: Exchange[] = [];
      const began = context.now();
      for (const seconds of WITHIN_SECONDS) {
        const passed = (context.now() - began) / 1000;
        if (seconds > passed) {
          await context.sleep(seconds - passed, 'another moment of the window');
        }
        within.push(await context.send(cheapestRequest(context), { key }));
      }
      await context.sleep(TWO_WINDOWS_SECONDS + SHIFT_SECONDS, 'a fresh window');
      const fresh = await context.send(cheapestRequest(context), { key });
      const shown = algorithmShown(
        within.map((exchange) => readReset(exchange, limit)),
        readReset(fresh, limit),
      );
      if (shown !== undefined) {
        context.observe('window-algorithm', shown);
        return;
      }
      await context.sleep(TWO_WINDOWS_SECONDS, 'a fresh window');
    }
    throw new Undecided('X-RateLimit-Reset did not show how the windows of a minute move.');
  },
};
