import type { Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import { isGranted } from '../key-traffic.ts';

/** The first answer of a key, and how many of its requests were granted by then. */
interface Beginning {
  readonly exchange: Exchange;
  readonly granted: number;
}

/**
 * Finds answers that name the limit of a day and what remains of a minute. Of a key whose use before nobody knows, so many may
 * remain of a day by chance, and a sliding one may forget as many as were sent since; two keys of different limits do not both
 * begin with just what one request leaves of a minute, and stand there again a minute later.
 */
export function followMinutesToldAsDays() {
  const beginnings = new Map<string, Beginning>();
  let seen: { readonly limit: number; readonly message: string } | null = null;
  return {
    /** Takes an answer of a key of the run's own. @returns what it shows together with that of another key */
    note: (
      { label, limits, usedToday, traffic: { granted } }: KeyLimits,
      exchange: Exchange,
      { window, limit, remaining }: DescribedWindow,
    ): Accusation | null => {
      const isOfMinute = window === 'day' && remaining === limits.perMinute - 1 && isGranted(exchange);
      if (!isOfMinute || usedToday !== null) {
        return null;
      }
      const first = beginnings.get(label);
      if (first === undefined) {
        beginnings.set(label, { exchange, granted });
        return null;
      }
      if (first.granted !== 1 || granted - first.granted < 2) {
        return null;
      }
      const seconds = (exchange.sentAt - first.exchange.receivedAt) / 1000;
      const message = `${label} had ${remaining} of ${limit} in its first answer and ${Math.round(seconds)} s later`;
      const other = seen;
      seen ??= { limit, message };
      return other === null || other.limit === limit
        ? null
        : {
            id: 'remaining-falls',
            message: `${other.message}, ${message}, each after requests between: X-RateLimit-Remaining counts a minute, and X-RateLimit-Limit is that of a day.`,
            proof: [first.exchange, exchange],
          };
    },
  };
}
