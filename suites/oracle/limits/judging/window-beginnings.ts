import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { ServerClock } from '../../server-clock.ts';
import type { Span } from '../window-segments.ts';
import type { RemainingReading } from '../remaining.ts';
import { isResetWithin } from './reset-within.ts';

/** Follows requests that were granted in one window while their headers describe the next, which nobody used yet. */
export interface WindowBeginnings {
  /** @returns whether a window may have begun while the request was under way */
  explains(window: 'minute' | 'day', reading: RemainingReading): boolean;
}

/** It takes a moment between two looks at a clock, so only a phase that windows have in common explains it again. */
export function followWindowBeginnings(clock: ServerClock): WindowBeginnings {
  const first: Partial<Record<'minute' | 'day', Span>> = {};
  return {
    explains: (window, { used, reset, decided }) => {
      const seconds = window === 'minute' ? MINUTE_SECONDS : DAY_SECONDS;
      if (used !== 0 || !isResetWithin(reset - seconds, decided, clock)) {
        return false;
      }
      const length = seconds * 1000;
      const { from, to } = (first[window] ??= decided);
      const shift = Math.round((decided.from - from) / length) * length;
      return decided.from - shift <= to && decided.to - shift >= from;
    },
  };
}
