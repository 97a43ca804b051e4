import type { Span, Timeline } from '../timeline.ts';

/** What the history of a key tells of one of its limits. */
export interface SeenOfLimit {
  readonly timeline: Timeline;
  readonly limit: number;
  /** Of a window, in milliseconds. */
  readonly length: number;
  /** At most so many requests of which nothing is known count in a window that begins then, when a request is decided. */
  readonly unseenSince: (begun: number, decidedFrom: number) => number;
}

/** A request whose count is asked for, and how many others may have counted that the history does not place. */
export interface CountedAt {
  readonly decided: Span;
  readonly further: number;
}

/** What a granted request was told. */
export interface ToldUsed extends CountedAt {
  /** What was decided until then was decided before it. */
  readonly until: number;
  /** Requests that are used, this one included. */
  readonly used: number;
}

/** Phases that are told apart, each as long. */
export const CELLS = 120;
// What the timekeeper may drift from the clock of the target.
const DRIFT_MILLISECONDS = 250;
// A clock of whole seconds is behind by up to this much, now more and now less.
const COARSE_MILLISECONDS = 1_000;
export const BLUR_MILLISECONDS = 2 * DRIFT_MILLISECONDS + COARSE_MILLISECONDS;

/** Where the moment between two windows lies. */
export type Boundary = ReturnType<typeof lastBoundary>;

/** The last end of a window, or of a step, of that phase that may lie before `now`. */
export function lastBoundary({ length }: SeenOfLimit, cell: number, now: number, apart: number = length) {
  const width = length / CELLS;
  const phase = cell * width - DRIFT_MILLISECONDS;
  const low = phase + Math.floor((now - phase) / apart) * apart;
  return { low, high: low + width + BLUR_MILLISECONDS };
}

/** Where the present window may have begun: where the last end lies, or, if that may lie after it, the one before. */
export function boundariesOf(
  seen: SeenOfLimit,
  cell: number,
  { from, to }: Span,
  apart: number = seen.length,
): readonly Boundary[] {
  const boundaries = [lastBoundary(seen, cell, to, apart)];
  for (let [last] = boundaries; last !== undefined && from < last.high; last = boundaries.at(-1)) {
    boundaries.push({ low: last.low - apart, high: last.high - apart });
  }
  return boundaries;
}
