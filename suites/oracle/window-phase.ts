import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Exchange } from './exchange.ts';

/** A stretch of time; milliseconds of the timekeeper. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From the first request to the last answer of a series; at least one exchange. */
export function spanOfSeries(exchanges: readonly Pick<Exchange, 'sentAt' | 'receivedAt'>[]): Span {
  return {
    from: Math.min(...exchanges.map(({ sentAt }) => sentAt)),
    to: Math.max(...exchanges.map(({ receivedAt }) => receivedAt)),
  };
}

// What two clocks may differ by.
const MARGIN_SECONDS = 0.5;

/**
 * Whether one boundary a window, always at the same second of it, could lie in every one of these spans. Windows
 * that are aligned to a clock have such boundaries; if none fits, what the spans show is no window's end.
 */
export function haveCommonBoundary(spans: readonly Span[], windowSeconds = MINUTE_SECONDS): boolean {
  return spans.length === 0 || commonBoundary(spans, windowSeconds) !== null;
}

// A burst keeps this distance to where a boundary may lie, if there is room for it.
const DISTANCE_SECONDS = 13;
const LEAST_DISTANCE_SECONDS = 2;

/**
 * Seconds until a burst may begin that lies, if it is as long as the last span, where no boundary does that all the
 * spans have in common. If a boundary explains the spans, that burst shows a whole window; if it deviates as well, none
 * explains it.
 * @param now milliseconds of the timekeeper, as those of the spans
 * @param windows how many have to pass at least, until what was sent is forgotten
 */
export function secondsUntilOtherPhase(
  spans: readonly Span[],
  now: number,
  windows: number,
  windowSeconds = MINUTE_SECONDS,
): number {
  const least = windows * (windowSeconds + 1);
  const boundary = commonBoundary(spans, windowSeconds);
  const last = spans.at(-1);
  if (boundary === null || last === undefined) {
    return least + DISTANCE_SECONDS;
  }
  const room = windowSeconds - secondsOf(boundary) - secondsOf(last);
  const distance = Math.max(LEAST_DISTANCE_SECONDS, Math.min(DISTANCE_SECONDS, room / 2));
  const wait = (boundary.to - now) / 1000 + distance - least;
  return least + (((wait % windowSeconds) + windowSeconds) % windowSeconds);
}

/** Where in a window a boundary could lie that is in all the spans: the longest stretch, somewhere in time. */
function commonBoundary(spans: readonly Span[], windowSeconds: number): Span | null {
  // If spans have a moment of the window in common, one of them begins at such a moment.
  const common = spans
    .map(({ from }) => {
      const left = Math.min(...spans.map((span) => secondsLeft(span, from, windowSeconds)));
      return { from, to: from + left * 1000 };
    })
    .filter(({ from, to }) => to >= from);
  return common.toSorted((a, b) => secondsOf(b) - secondsOf(a))[0] ?? null;
}

/** Seconds that the span goes on after this second of the window; below zero if it does not have it. */
function secondsLeft(span: Span, moment: number, windowSeconds: number): number {
  const length = secondsOf(span) + 2 * MARGIN_SECONDS;
  const offset = ((moment - span.from) / 1000) % windowSeconds;
  return length >= windowSeconds ? windowSeconds : length - ((offset + windowSeconds) % windowSeconds);
}

function secondsOf({ from, to }: Span): number {
  return (to - from) / 1000;
}
