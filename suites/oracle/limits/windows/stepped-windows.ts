import {
  BLUR_MILLISECONDS,
  boundariesOf,
  CELLS,
  lastBoundary,
  type CountedAt,
  type SeenOfLimit,
  type ToldUsed,
} from './window-boundaries.ts';

/** A window that ends in steps: in how many, and in which cell of a step they lie. */
export interface SteppedWindow {
  readonly steps: number;
  readonly cell: number;
}

/** Windows of so many steps, at each phase. */
export function steppedWindows(steps: number): readonly SteppedWindow[] {
  return Array.from({ length: Math.ceil(CELLS / steps) }, (_, cell) => ({ steps, cell }));
}

/** Whether such a window could have granted what surely counted until `now`. */
export function stepsCouldGrant(seen: SeenOfLimit, { steps, cell }: SteppedWindow, now: number): boolean {
  const { timeline, limit, length } = seen;
  const step = length / steps;
  const { low, high } = lastBoundary(seen, cell, now, step);
  return (
    timeline.atLeast(high - length, low) <= limit &&
    timeline.atLeast(high - length + step, now) <= limit &&
    timeline.atLeast(high - length, now) <= 2 * limit &&
    // Two windows in a row cover any stretch that is a step shorter than both.
    timeline.atLeast(now - 2 * length + step + BLUR_MILLISECONDS, now) <= 2 * limit
  );
}

/** At most so many lie in such a window when a request is decided. */
export function mostInSteps(
  seen: SeenOfLimit,
  { steps, cell }: SteppedWindow,
  { decided, further }: CountedAt,
): number {
  const { timeline, length, unseenSince } = seen;
  const step = length / steps;
  return boundariesOf(seen, cell, decided, step).reduce((most, { low }) => {
    const begun = low - length + step;
    return Math.max(most, timeline.atMost(begun, decided.to) + unseenSince(begun, decided.from) + further);
  }, 0);
}

/** Whether such a window would tell that so many are used. */
export function stepsCouldTell(
  seen: SeenOfLimit,
  { steps, cell }: SteppedWindow,
  { decided, until, further, used }: ToldUsed,
): boolean {
  const { timeline, length, unseenSince } = seen;
  const step = length / steps;
  return boundariesOf(seen, cell, decided, step).some(({ low, high }) => {
    const begun = low - length + step;
    return (
      used > timeline.atLeast(high - length + step, until) &&
      used <= timeline.atMost(begun, decided.to) + unseenSince(begun, decided.from) + further + 1
    );
  });
}
