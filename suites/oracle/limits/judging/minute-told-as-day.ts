import type { Exchange } from '../../exchange.ts';
import type { Accusation } from '../../history-monitor.ts';
import type { DescribedWindow, KeyLimits } from '../key-limits.ts';
import { isGranted } from '../key-traffic.ts';

/** An answer that named of a day what remained of the minute. */
interface Sighting {
  readonly exchange: Exchange;
  readonly remaining: number;
  /** How many requests of the key were granted by then, those included that may have been. */
  readonly granted: number;
}

// A day hardly ends within it.
const SOON_MILLISECONDS = 3_600_000;

/**
 * Finds answers that name the limit of a day and what remains of a minute. Of a key whose use before nobody knows, so many may
 * remain of a day by chance, and a sliding one may forget as many as were sent since; two keys of different limits do not both
 * stand at just what remains of their minutes, and are granted more than that soon after, or told the same again.
 */
export function followMinutesToldAsDays() {
  const sightings = new Map<string, Sighting>();
  let seen: { readonly limit: number; readonly message: string } | null = null;
  const sightingOf = (key: KeyLimits, exchange: Exchange, described: DescribedWindow): Sighting | null => {
    const { label, limits, minute, traffic } = key;
    const before = sightings.get(label);
    if (before !== undefined && exchange.sentAt - before.exchange.receivedAt < SOON_MILLISECONDS) {
      return before;
    }
    const { window, remaining } = described;
    if (window === 'day' && remaining === limits.perMinute - minute.atLeastGranted(exchange.receivedAt) - 1) {
      sightings.set(label, { exchange, remaining, granted: traffic.granted + traffic.underWay });
    }
    return null;
  };
  return {
    /** Takes an answer of a key of the run's own. @returns what it shows together with that of another key */
    note: (key: KeyLimits, exchange: Exchange, described: DescribedWindow): Accusation | null => {
      const { label, limits, usedToday, traffic } = key;
      const first = usedToday === null && isGranted(exchange) ? sightingOf(key, exchange, described) : null;
      if (first === null || exchange.sentAt < first.exchange.receivedAt) {
        return null;
      }
      const granted = traffic.granted - first.granted;
      const isSame = described.window === 'day' && described.remaining === first.remaining;
      if (granted <= first.remaining && !(isSame && granted >= 2)) {
        return null;
      }
      const seconds = Math.round((exchange.sentAt - first.exchange.receivedAt) / 1000);
      const more = isSame ? `told so again after ${granted} more` : `granted ${granted} more`;
      const message = `${label} was told that ${first.remaining} of ${limits.perDay} remained, and was ${more} within ${seconds} s`;
      const other = seen;
      seen ??= { limit: limits.perDay, message };
      return other === null || other.limit === limits.perDay
        ? null
        : {
            id: 'remaining-falls',
            message: `${other.message}; ${message}: X-RateLimit-Remaining counts a minute, and X-RateLimit-Limit is that of a day.`,
            proof: [first.exchange, exchange],
          };
    },
  };
}
