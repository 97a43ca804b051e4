import { retryAfterOf, type Exchange } from './exchange.ts';
import type { ServerClock } from './server-clock.ts';

/** Seconds from the receipt of a response until its Retry-After has certainly passed for the server. */
export function secondsToWait(exchange: Exchange, clock: ServerClock): number | undefined {
  const retryAfter = retryAfterOf(exchange);
  if (retryAfter === undefined) {
    return undefined;
  }
  if (retryAfter.form === 'delta-seconds') {
    return retryAfter.seconds;
  }
  const now = clock.at(exchange.receivedAt)?.earliest ?? exchange.startedAt.getTime() / 1000;
  return Math.max(0, retryAfter.unixSeconds - now);
}
