import { BAN_STATUSES } from '../../../contract/bans.ts';
import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import {
  isAccepted,
  planningLimits,
  rateLimitOf,
  secondsToWait,
  type Exchange,
  type Key,
} from '../../oracle/index.ts';
import type { ToldRequest } from '../history.ts';
import { inspect, noteJudgements } from './evidence.ts';
import type { TargetClient } from './target-client.ts';

/** How a request presented itself. */
interface Presentation {
  /** The key, if it was presented as the specification says. */
  readonly key: Key | null;
  /** Label of the key that the target may count the request on. */
  readonly spender: string | null;
  /** Of its Authorization fields. */
  readonly fields: number;
  readonly told: ToldRequest;
}

/** Has the clock and the key learn from an exchange, and the oracle and the monitors judge it. */
export function judgeExchange(
  client: TargetClient,
  exchange: Exchange,
  { key, spender, fields, told }: Presentation,
): void {
  client.clock.learnFromExchange(exchange);
  if (key !== null) {
    noteUsage(key, exchange, client);
  }
  const said = told.received(exchange);
  const mayBeBanned = spender !== null && client.history.mayBeBanned(spender, exchange);
  // Two Authorization fields are malformed HTTP, which a gateway may answer in its own way.
  if (fields <= 1) {
    inspect(client, exchange, key, mayBeBanned);
  }
  noteJudgements(client, said);
}

/** Counts the exchange on its key. */
function noteUsage(key: Key, exchange: Exchange, client: TargetClient): void {
  const { usage } = key;
  const rateLimit = rateLimitOf(exchange);
  if (rateLimit !== undefined) {
    usage.last = { rateLimit, receivedAt: exchange.receivedAt };
  }
  const { status } = exchange.response;
  if (isAccepted(exchange)) {
    // What was under way already when a 429 came in shows no patience.
    if (exchange.sentAt > usage.refusedAt) {
      usage.retryAt = 0;
    }
    usage.accepted += 1;
    const isFull =
      rateLimit?.limit === planningLimits(key).perMinute && rateLimit.remaining === rateLimit.limit - 1;
    usage.acceptedSinceFull = isFull ? 1 : usage.acceptedSinceFull + 1;
    return;
  }
  if (status === 429) {
    usage.refusals += 1;
    usage.refusedAt = exchange.receivedAt;
  }
  if (BAN_STATUSES.has(status)) {
    // Nobody knows how long a Retry-After that cannot be read asks for; a minute is patient.
    const wait = secondsToWait(exchange, client.clock) ?? (status === 429 ? MINUTE_SECONDS : 0);
    usage.retryAt = Math.max(usage.retryAt, exchange.receivedAt + wait * 1000);
  }
}
