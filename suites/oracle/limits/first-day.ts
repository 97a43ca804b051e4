import { DAY_SECONDS } from '../../../contract/plans.ts';
import type { Span } from './timeline.ts';
import { MARGIN_MILLISECONDS } from './margin.ts';

const DAY_MILLISECONDS = DAY_SECONDS * 1000;

/**
 * Follows how much of its first day one key has surely used, or of one that begins when nothing counts that was before.
 * @param usedBefore requests that counted when the key was issued
 * @param issuedAt no later than it was issued
 */
export function followFirstDay(limit: number, usedBefore: number, issuedAt: number) {
  let used = usedBefore;
  // A day that begins with a request has not begun before the first one.
  let begun = usedBefore > 0 ? issuedAt : null;
  let fullAt = Number.NEGATIVE_INFINITY;
  let lasts = true;
  let beyondAt: number | null = null;
  return {
    /** Takes a granted request. @returns when that day must have ended, if it grants no more than its limit */
    grant: ({ from, to }: Span): Span | null => {
      begun ??= from;
      used += 1;
      lasts &&= to < begun + DAY_MILLISECONDS - MARGIN_MILLISECONDS;
      if (!lasts || used <= limit) {
        return null;
      }
      beyondAt ??= to;
      // A sliding counter whose day has ended is still full, and forgets it little by little.
      const isGradual = used - limit <= 1 + (limit * (to - begun)) / DAY_MILLISECONDS;
      return { from: isGradual ? begun : Math.max(begun, fullAt), to: beyondAt };
    },
    /** Takes a refusal that only a full day explains, and not one that begins with the requests of the history. */
    refuse: ({ from }: Span): void => {
      fullAt = beyondAt === null ? Math.max(fullAt, from) : fullAt;
    },
    /** How much of it is used, as long as it surely lasts; else `null`. */
    used: ({ to }: Span): number | null =>
      lasts && to < (begun ?? to) + DAY_MILLISECONDS - MARGIN_MILLISECONDS ? used : null,
    /** Nothing is known any more. */
    forget: (): void => {
      lasts = false;
    },
  };
}
