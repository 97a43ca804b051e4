import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import {
  haveCommonBoundary,
  isAccepted,
  mostRoomMade,
  planningLimits,
  rateLimitOf,
  secondsUntilOtherPhase,
  type Exchange,
  type Key,
  type RequestMessage,
  type Span,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { cheapestRequest, useUp } from './use-up.ts';

/** Whether a message escapes a limit; `possible` if it was granted, and a window that ended or slid may be why. */
export type Escape = 'none' | 'possible' | 'proven';

/** A message that was sent when the limit was used up. */
interface SentBeyondLimit {
  readonly exchange: Exchange;
  /** When the limit began to be used up; milliseconds of the timekeeper. */
  readonly since: number;
  readonly escape: Escape;
}

/** Sends a message when the limit is used up, and again in other circumstances if time may be why it is granted. */
export async function sendBeyondLimit(
  context: CheckContext,
  key: Key,
  message: RequestMessage,
): Promise<SentBeyondLimit> {
  const limit = planningLimits(key).perMinute;
  const spans: Span[] = [];
  for (;;) {
    const since = context.now();
    await useUp(context, key);
    const exchange = await context.send(message, { key });
    const sent = (escape: Escape): SentBeyondLimit => ({
      exchange,
      since,
      escape: isAccepted(exchange) ? escape : 'none',
    });
    if (exchange.response.status === 429) {
      return sent('none');
    }
    spans.push({ from: since, to: exchange.receivedAt });
    if (spans.length > 1) {
      return sent(haveCommonBoundary(spans) ? 'possible' : 'proven');
    }
    const probe = await context.send(cheapestRequest(context), { key });
    const slid = mostRoomMade(limit, (probe.receivedAt - since) / 1000);
    if (!isAccepted(probe) && slid === 0) {
      return sent('proven');
    }
    const rateLimit = isAccepted(probe) ? rateLimitOf(probe) : undefined;
    // Whatever has more room than a window that slides would have made has begun a new one, and does not so twice.
    if (rateLimit?.limit === limit && GRANTED_SINCE + rateLimit.remaining > slid) {
      return sendInNewWindow(context, key, message, rateLimit.remaining);
    }
    if (!context.virtualTime) {
      return sent('possible');
    }
    const seconds = secondsUntilOtherPhase(spans, context.now(), 2);
    await context.sleep(seconds, `another phase of the window of ${key.label}`);
  }
}

// The message, and the probe.
const GRANTED_SINCE = 2;
const CONNECTIONS = 16;

/** Uses up what is left of a window that has just begun, without being refused, and sends the message. */
async function sendInNewWindow(
  context: CheckContext,
  key: Key,
  message: RequestMessage,
  remaining: number,
): Promise<SentBeyondLimit> {
  const since = context.now();
  const rest = Array.from({ length: remaining }, () => cheapestRequest(context));
  await context.sendAll(rest, key, CONNECTIONS);
  const exchange = await context.send(message, { key });
  const isLate = exchange.receivedAt - since > (MINUTE_SECONDS * 1000) / 2;
  return { exchange, since, escape: !isAccepted(exchange) ? 'none' : isLate ? 'possible' : 'proven' };
}
