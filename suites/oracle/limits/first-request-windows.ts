import type { DecidedAt } from './timeline.ts';

/** What is seen of a request that counts, or may count. */
interface CountedRequest {
  readonly decided: DecidedAt;
  readonly counts: 'surely' | 'perhaps';
  /** When the earliest request was sent that may be decided at the same time. */
  readonly overlapsFrom: number;
  /** Whether nothing may have counted since a window before this request. */
  readonly isFirst: boolean;
}

/** Windows that begin with the first request after the one before: how many requests surely lie in the present one. */
export interface FirstRequestWindows {
  /** @returns whether such a window could have granted it */
  take(request: CountedRequest): boolean;
  /** Nothing is known until the key has rested for a window. */
  forget(): void;
}

interface Current {
  /** When it began, at the earliest and at the latest. */
  from: number;
  readonly to: number;
  surely: number;
}

/**
 * @param length of a window, in milliseconds
 * @param margin milliseconds by which a window may be shorter or longer, in a server that counts time coarsely
 */
export function followFirstRequests(limit: number, length: number, margin: number): FirstRequestWindows {
  let isKnown = false;
  let current: Current | undefined;
  // Since when a request that perhaps counts may have begun the window.
  let perhapsSince = Infinity;

  const begin = (decided: DecidedAt, earliest: number): void => {
    const from = Math.max(earliest, decided.from - length - margin);
    current = { from: Math.min(from, decided.from), to: decided.to, surely: 1 };
    perhapsSince = Infinity;
  };

  return {
    take: ({ decided, counts, overlapsFrom, isFirst }) => {
      if (isFirst) {
        isKnown = true;
        current = undefined;
        perhapsSince = Infinity;
      }
      if (!isKnown) {
        return true;
      }
      const end = current === undefined ? undefined : current.to + length + margin;
      if (current !== undefined && decided.to < current.from + length - margin) {
        current.from = Math.min(current.from, overlapsFrom);
        current.surely += counts === 'surely' ? 1 : 0;
        return current.surely <= limit;
      }
      if (end !== undefined && decided.from <= end) {
        return true;
      }
      const earliest = Math.min(
        perhapsSince,
        overlapsFrom,
        current === undefined ? Infinity : current.from + length - margin,
      );
      if (counts === 'surely') {
        begin(decided, earliest);
      } else {
        current = undefined;
        perhapsSince = earliest;
      }
      return true;
    },
    forget: () => {
      isKnown = false;
      current = undefined;
      perhapsSince = Infinity;
    },
  };
}
