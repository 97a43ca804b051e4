import { rateLimitOf, type Exchange } from '../../exchange.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';

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

export function noteDescribed(key: KeyLimits, described: DescribedWindow | null): void {
  key.lastReset = described?.reset ?? key.lastReset;
  key.lastDescribed = described;
  key.describedAt = key.traffic.answered;
}
