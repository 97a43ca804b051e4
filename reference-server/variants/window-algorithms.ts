import { fixedWindow, type WindowAlgorithm } from '../service/window.ts';

/**
 * Windows that begin at whole multiples of their length.
 * @param phase seconds after the Unix epoch at which the first one began
 */
export function alignedWindow(phase: number): WindowAlgorithm {
  return (limit, seconds) =>
    fixedWindow(limit, { endOf: (now) => (Math.floor((now - phase) / seconds) + 1) * seconds + phase });
}

/**
 * Windows that follow on one another without a gap, for each key at moments of its own.
 * @param atPhase the windows whose phase is so many seconds after the Unix epoch
 */
export function phaseByKey(atPhase: (phase: number) => WindowAlgorithm): WindowAlgorithm {
  let opened = 0;
  return (limit, seconds) => {
    opened += 1;
    return atPhase(((opened * SHARE_OF_WINDOW) % 1) * seconds)(limit, seconds);
  };
}

// Its multiples spread the keys over the window.
const SHARE_OF_WINDOW = 0.37;

interface SlidingLogChoices {
  /** Which request X-RateLimit-Reset waits for to leave the log. */
  readonly resetsWith: 'oldest' | 'newest';
  readonly countsRefused?: boolean;
}

/** Any stretch of the window's length holds at most `limit` requests. */
export function slidingLog({ resetsWith, countsRefused = false }: SlidingLogChoices): WindowAlgorithm {
  return (limit, seconds) => {
    let entries: { readonly at: number; requests: number }[] = [];
    let first = 0;
    let used = 0;

    function add(requests: number, at: number): void {
      entries.push({ at, requests });
      used += requests;
    }

    function forget(now: number): void {
      for (let entry = entries[first]; entry !== undefined && entry.at + seconds <= now;) {
        used -= entry.requests;
        first += 1;
        entry = entries[first];
      }
      if (first > 1_000 && 2 * first > entries.length) {
        entries = entries.slice(first);
        first = 0;
      }
    }

    return {
      remaining: (now) => {
        forget(now);
        return limit - used;
      },
      count: (now) => add(1, now),
      ...(countsRefused ? { countRefused: (now: number) => add(1, now) } : {}),
      giveBack: () => {
        const last = entries.at(-1);
        if (last !== undefined && entries.length > first && last.requests > 0) {
          last.requests -= 1;
          used -= 1;
        }
      },
      opensAt: (now) => {
        forget(now);
        let excess = used - limit + 1;
        for (let index = first; excess > 0 && index < entries.length; index += 1) {
          const { at, requests } = entries[index] ?? { at: now, requests: 0 };
          excess -= requests;
          if (excess <= 0) {
            return at + seconds;
          }
        }
        return now;
      },
      resetsAt: (now) => {
        forget(now);
        const entry = resetsWith === 'oldest' ? entries[first] : entries.slice(first).at(-1);
        return (entry?.at ?? now) + seconds;
      },
      countEarlier: add,
    };
  };
}

// Requests are whole numbers, and Unix seconds have about 2e-7 of rounding.
const TOLERANCE = 1e-6;

/**
 * Counts the present aligned window, and the one before it by the part of it that a sliding window still covers.
 * @param phase seconds after the Unix epoch at which the first window began
 */
export function slidingCounter(phase: number): WindowAlgorithm {
  return (limit, seconds) => {
    let index = Number.NEGATIVE_INFINITY;
    let previous = 0;
    let current = 0;

    function moveTo(now: number): void {
      const moved = Math.floor((now - phase) / seconds);
      if (moved !== index) {
        previous = moved === index + 1 ? current : 0;
        current = 0;
        index = moved;
      }
    }

    function remaining(now: number): number {
      moveTo(now);
      const covered = 1 - ((now - phase) / seconds - index);
      return Math.floor(limit - current - previous * covered + TOLERANCE);
    }

    return {
      remaining,
      count: (now) => {
        moveTo(now);
        current += 1;
      },
      giveBack: () => {
        current = Math.max(0, current - 1);
      },
      opensAt: (now) => {
        if (remaining(now) > 0) {
          return now;
        }
        // The part of the earlier window that may still be covered when one more request is to fit.
        return current < limit
          ? (index + 1 - (limit - current - 1) / previous) * seconds + phase
          : (index + 2 - (limit - 1) / current) * seconds + phase;
      },
      resetsAt: (now) => (Math.floor((now - phase) / seconds) + 1) * seconds + phase,
      countEarlier: (requests, now) => {
        moveTo(now);
        current += requests;
      },
    };
  };
}

/**
 * A sliding window in steps: what was counted in a segment of it is forgotten all at once, a window after that segment
 * began. The first one begins with the key's first request.
 */
export function slidingSegments(segments: number): WindowAlgorithm {
  return (limit, seconds) => {
    const length = seconds / segments;
    // As if each request were made when its segment began.
    const log = slidingLog({ resetsWith: 'oldest' })(limit, seconds);
    let began: number | undefined;
    const segmentAt = (now: number): number => {
      const first = began ?? now;
      return first + Math.floor((now - first) / length) * length;
    };
    const add = (requests: number, now: number): void => {
      began ??= now;
      log.countEarlier(requests, segmentAt(now));
    };
    return {
      ...log,
      count: (now) => add(1, now),
      resetsAt: (now) => segmentAt(now) + length,
      countEarlier: add,
    };
  };
}

/** A fixed window that begins with its first request, and anew with each one that it refuses. */
export const windowRenewedByRefused: WindowAlgorithm = (limit, seconds) =>
  fixedWindow(limit, { endOf: (now) => now + seconds, prolongedBy: 'refused' });
