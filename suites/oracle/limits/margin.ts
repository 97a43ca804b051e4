import type { ServerClock } from '../server-clock.ts';
import type { Span } from './timeline.ts';

/** By so much a server with a coarse clock may end a window too early or too late (readings: two seconds). */
export const MARGIN_MILLISECONDS = 2_000;

/** What tells two moments apart. */
export const INSTANT_MILLISECONDS = 1e-6;

/**
 * Whether the limit may have been reset while something happened.
 * @param reset Unix seconds of the server
 * @param span milliseconds of the timekeeper
 */
export function isResetWithin(reset: number, { from, to }: Span, clock: Pick<ServerClock, 'at'>): boolean {
  const [earliest, latest] = [clock.at(from)?.earliest, clock.at(to)?.latest];
  const margin = MARGIN_MILLISECONDS / 1000;
  return (
    earliest !== undefined && latest !== undefined && reset >= earliest - margin && reset <= latest + margin
  );
}

/** Whether a moment at which windows that are aligned to a clock begin may lie in a span. @param edges seconds between two of them */
export function holdsEdge(
  clock: Pick<ServerClock, 'at' | 'source'>,
  { from, to }: Span,
  edges: number,
): boolean {
  const [earliest, latest] = [clock.at(from)?.earliest, clock.at(to)?.latest];
  if (clock.source === 'none' || earliest === undefined || latest === undefined) {
    return true;
  }
  const margin = MARGIN_MILLISECONDS / 1000;
  return Math.floor((earliest - margin) / edges) !== Math.floor((latest + margin) / edges);
}
