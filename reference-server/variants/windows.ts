import { windowFromFirstRequest, type WindowAlgorithm } from '../service/window.ts';
import type { Variant } from './variant.ts';
import {
  alignedWindow,
  alignedWindowByKey,
  minuteAndDay,
  slidingCounter,
  slidingLog,
} from './window-algorithms.ts';

const aligned = alignedWindow(0);
const log = slidingLog({ resetsWith: 'newest' });

// Five hours after midnight UTC, and 17.3 s after the minute.
const EASTERN_MIDNIGHT_SECONDS = 18_000;
const ODD_PHASE_SECONDS = 17.3;

function windows(id: string, title: string, window: WindowAlgorithm): Variant {
  return {
    id,
    title,
    freedom: 'window algorithm',
    alter: { options: (options) => ({ ...options, window }) },
  };
}

export const WINDOW_VARIANTS: readonly Variant[] = [
  windows('aligned-windows', 'The windows begin at whole minutes and at midnight UTC', aligned),
  windows(
    'aligned-minute',
    'The minute begins at whole minutes, the day with its first request',
    minuteAndDay(aligned, windowFromFirstRequest),
  ),
  windows(
    'aligned-day',
    'The day begins at midnight UTC, the minute with its first request',
    minuteAndDay(windowFromFirstRequest, aligned),
  ),
  windows(
    'aligned-windows-with-odd-phase',
    'The minute begins 17.3 seconds after whole minutes, the day at another midnight than that of UTC',
    minuteAndDay(alignedWindow(ODD_PHASE_SECONDS), alignedWindow(EASTERN_MIDNIGHT_SECONDS)),
  ),
  {
    id: 'aligned-windows-by-key',
    title: 'Minutes and days follow on one another, for each key at moments of its own',
    freedom: 'window algorithm',
    alter: { options: (options) => ({ ...options, window: alignedWindowByKey() }) },
  },
  windows('sliding-log', 'Any sixty seconds and any 24 hours grant the limit at most', log),
  windows(
    'sliding-log-that-resets-with-its-oldest',
    'The windows are sliding logs, and X-RateLimit-Reset tells when the oldest request leaves',
    slidingLog({ resetsWith: 'oldest' }),
  ),
  windows(
    'sliding-log-that-counts-refused',
    'The minute is a sliding log into which requests answered 429 count, too',
    minuteAndDay(slidingLog({ resetsWith: 'newest', countsRefused: true }), windowFromFirstRequest),
  ),
  windows(
    'sliding-log-of-the-minute',
    'The minute is a sliding log, the day begins at midnight UTC',
    minuteAndDay(log, aligned),
  ),
  windows(
    'sliding-log-of-the-day',
    'The day is a sliding log, the minute begins with its first request',
    minuteAndDay(windowFromFirstRequest, log),
  ),
  windows(
    'sliding-counter',
    'The windows are sliding counters, which weigh the window before',
    slidingCounter,
  ),
  windows(
    'sliding-counter-of-the-minute',
    'The minute is a sliding counter, the day begins with its first request',
    minuteAndDay(slidingCounter, windowFromFirstRequest),
  ),
  windows(
    'sliding-counter-of-the-day',
    'The day is a sliding counter, the minute begins at whole minutes',
    minuteAndDay(aligned, slidingCounter),
  ),
];
