import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import { rateLimitOf, type Exchange } from '../../exchange.ts';
import type { ServerClock } from '../../server-clock.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import { isResetWithin } from '../margin.ts';
import type { RemainingReading } from '../remaining.ts';
import type { Span } from '../timeline.ts';

/** The window that the headers describe, and what remains of it, if they tell. */
export function describedWindow({ limits }: KeyLimits, exchange: Exchange): DescribedWindow | null {
  const reading = rateLimitOf(exchange);
  if (reading === undefined || limits.perMinute === limits.perDay) {
    return null;
  }
  const { limit, remaining, reset } = reading;
  return limit === limits.perMinute
    ? { window: 'minute', limit, remaining, reset }
    : limit === limits.perDay
      ? { window: 'day', limit, remaining, reset }
      : null;
}

export function noteDescribed(key: KeyLimits, described: DescribedWindow | null, isOfGrant: boolean): void {
  key.lastReset = described?.reset ?? key.lastReset;
  key.lastDescribed = described && { ...described, isOfGrant, answered: key.traffic.answered };
}

/**
 * Follows requests that were granted in one window while their headers describe the next, which nobody used yet. It takes a
 * moment between two looks at a clock, so only a phase that windows have in common explains it again.
 * @returns whether a window may have begun while a request was under way
 */
export function followWindowBeginnings(
  clock: ServerClock,
): (window: 'minute' | 'day', reading: RemainingReading) => boolean {
  const first: Partial<Record<'minute' | 'day', Span>> = {};
  return (window, { used, reset, decided }) => {
    const seconds = window === 'minute' ? MINUTE_SECONDS : DAY_SECONDS;
    if (used !== 0 || !isResetWithin(reset - seconds, decided, clock)) {
      return false;
    }
    const length = seconds * 1000;
    const { from, to } = (first[window] ??= decided);
    const shift = Math.round((decided.from - from) / length) * length;
    return decided.from - shift <= to && decided.to - shift >= from;
  };
}
