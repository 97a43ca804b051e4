import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import { MARGIN_MILLISECONDS } from './margin.ts';
import { fallsSince, leastSince, mostSince, type RemainingReading } from './remaining.ts';

/** A place in a series, sent one by one, where Remaining did not fall as it should. */
export interface Irregularity {
  readonly message: string;
  readonly exchange: Exchange;
}

interface SeriesReading extends RemainingReading {
  readonly limit: number;
}

/**
 * Looks for places where X-RateLimit-Remaining did not fall by one for an accepted request, in a series sent one
 * by one in a fresh window. Requests answered 4xx in between may have counted or not. One rise to a full window
 * with a leap of X-RateLimit-Reset is taken for the window's end, since fixed windows may end at any moment. What
 * comes a window after the first request is left alone, since a sliding window then forgets that one. A sliding
 * counter that passes from one minute to the next may look irregular, and so may the end of a window whose Reset
 * moves along with the time: only what shows again at another phase of the minute is a violation.
 */
export function findIrregularities(
  exchanges: readonly Exchange[],
  windowSeconds = MINUTE_SECONDS,
): readonly Irregularity[] {
  const until = (exchanges[0]?.sentAt ?? 0) + windowSeconds * 1000 - MARGIN_MILLISECONDS;
  const found: Irregularity[] = [];
  let renewals = 0;
  let before: SeriesReading | undefined;
  for (const { exchange, reading } of readSeries(exchanges)) {
    if (exchange.receivedAt > until) {
      continue;
    }
    if (before !== undefined && before.limit === reading.limit && !fallsSince(before, reading)) {
      const hasLeapt = reading.reset - before.reset >= windowSeconds / 2;
      const isFull = reading.used >= 1 && reading.used <= mostSince(before, reading);
      const isRenewal = renewals === 0 && hasLeapt && isFull;
      renewals += isRenewal ? 1 : 0;
      if (!isRenewal) {
        found.push({ message: describe(before, reading, exchange), exchange });
      }
    }
    before = reading;
  }
  return found;
}

/** What the accepted requests of a series said. */
function readSeries(
  exchanges: readonly Exchange[],
): readonly { readonly exchange: Exchange; readonly reading: SeriesReading }[] {
  let granted = 0;
  let lost = 0;
  return exchanges.flatMap((exchange, answered) => {
    const { sentAt, receivedAt, lostResponses } = exchange;
    const shown = rateLimitOf(exchange);
    lost += lostResponses;
    if (!isAccepted(exchange) || shown === undefined) {
      return [];
    }
    granted += 1;
    const reading: SeriesReading = {
      limit: shown.limit,
      used: shown.limit - shown.remaining,
      reset: shown.reset,
      decided: { from: sentAt, to: receivedAt },
      overlapsFrom: sentAt,
      answeredAtSending: answered,
      answered,
      grantedAtSending: granted - 1,
      granted,
      underWay: 0,
      lost,
    };
    // What was lost until now counted by now, or belongs to a request that was sent again.
    lost = 0;
    return [{ exchange, reading }];
  });
}

function describe(before: SeriesReading, reading: SeriesReading, { request }: Exchange): string {
  const highest = before.limit - leastSince(before, reading);
  const lowest = before.limit - before.used - mostSince(before, reading);
  const due = lowest === highest ? `${highest}` : `${lowest} to ${highest}`;
  const [from, to] = [before.limit - before.used, reading.limit - reading.used];
  return `X-RateLimit-Remaining went from ${from} to ${to} with an accepted ${request.method} ${request.path}; ${due} was due.`;
}
