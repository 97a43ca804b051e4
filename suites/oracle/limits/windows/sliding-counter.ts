import {
  boundariesOf,
  lastBoundary,
  type Boundary,
  type CountedAt,
  type SeenOfLimit,
  type ToldUsed,
} from './window-boundaries.ts';

// A sliding counter weighs what counted in the window before by how much of it the last window's length still covers.

/** Whether a sliding counter of that phase could have granted what surely counted until `now`. */
export function counterCouldGrant(seen: SeenOfLimit, cell: number, now: number): boolean {
  const { timeline, limit, length } = seen;
  const { low, high } = lastBoundary(seen, cell, now);
  const before = timeline.atLeast(high - length, low);
  const current = timeline.atLeast(high, now);
  const both = timeline.atLeast(high - length, now);
  if (before > limit || current > limit) {
    return false;
  }
  // If nothing surely counted before, the boundary matters only from the first request on.
  const boundary = before > 0 ? low : Math.max(low, timeline.firstSince(high - length));
  const covered = Math.max(0, 1 - (now - boundary) / length);
  const used = Math.max(before * covered + current, both * covered);
  // Some round down what still counts of the window before.
  return used < limit + 1;
}

/** At most so many count in it when a request is decided, wherever the present window may have begun. */
export function mostInCounter(seen: SeenOfLimit, cell: number, at: CountedAt): number {
  return Math.max(...boundariesOf(seen, cell, at.decided).map((boundary) => mostSince(seen, boundary, at)));
}

/** Whether it would tell that so many are used. */
export function counterCouldTell(seen: SeenOfLimit, cell: number, told: ToldUsed): boolean {
  const { decided, until, used } = told;
  return boundariesOf(seen, cell, decided).some(
    (boundary) =>
      used >= Math.floor(leastSince(seen, boundary, decided.to, until)) + 1 &&
      used <= Math.ceil(mostSince(seen, boundary, told)) + 1,
  );
}

/** At least so many count when a request is decided that is not one of them. */
function leastSince(
  { timeline, length }: SeenOfLimit,
  { low, high }: Boundary,
  to: number,
  until: number,
): number {
  const before = timeline.atLeast(high - length, Math.min(low, until));
  const current = timeline.atLeast(high, until);
  const both = timeline.atLeast(high - length, until);
  const covered = Math.max(0, 1 - (to - low) / length);
  return Math.max(before * covered + current, both * covered);
}

function mostSince(
  { timeline, length, unseenSince }: SeenOfLimit,
  { low, high }: Boundary,
  { decided: { from, to }, further }: CountedAt,
): number {
  const unseen = unseenSince(low - length, from);
  const before = timeline.atMost(low - length, high);
  const current = timeline.atMost(low, to) + further;
  const covered = Math.min(1, Math.max(0, 1 - (from - high) / length));
  return Math.min(before * covered + current, timeline.atMost(low - length, to) + further) + unseen;
}
