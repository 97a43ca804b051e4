import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import {
  isAccepted,
  planningLimits,
  rateLimitOf,
  secondsToWait,
  sentInLastMinute,
  type Exchange,
  type Key,
  type RequestMessage,
} from '../../oracle/index.ts';
import type { ToldRequest } from '../history.ts';
import { inspect, noteJudgements } from './evidence.ts';
import { BODY_TOO_LARGE, TIMEOUT_CODES, TransportError, type ConnectionPool } from './http-transport.ts';
import { noResponse, notSent, restBeforeRetry, type FailedTry } from './no-response.ts';
import type { TargetClient } from './target-client.ts';

/** How a request presents itself. */
export type Credentials =
  | { readonly key: Key }
  /** Authorization fields as they go out, and a label for each that may be shown. */
  | {
      readonly authorization: readonly string[];
      readonly labels: readonly string[];
      /** The key that the target may take it for, and count it on. */
      readonly spends?: Key;
    };

/** A request with what goes out for its credentials, and what is shown instead. */
interface SignedRequest {
  readonly message: RequestMessage;
  /** As it stands on the wire. */
  readonly path: string;
  /** The key, if it is presented as the specification says. */
  readonly key: Key | null;
  /** The key that the target may count the request on. */
  readonly spender: Key | null;
  readonly authorization: readonly string[];
  readonly shownAuthorization: string | null;
}

/**
 * Carries out one exchange: budget, transport, the key's usage, the server's clock, the monitors.
 * A lost connection is tried again, since a server may close an idle one at any time (RFC 9112, section 9.5).
 * @throws {NoResponse}
 */
export async function performExchange(
  client: TargetClient,
  pool: ConnectionPool,
  message: RequestMessage,
  credentials: Credentials,
): Promise<Exchange> {
  const request = sign(client, message, credentials);
  const redact = (text: string): string => client.redactor.redact(text);
  const failed: FailedTry[] = [];
  for (;;) {
    client.signal.throwIfAborted();
    if (client.liveness.attempts() === 0) {
      throw notSent(message, redact);
    }
    const result = await tryOnce(client, pool, request, failed.length);
    if ('exchange' in result) {
      return result.exchange;
    }
    const { error } = result;
    failed.push(result);
    if (failed.length === 1 && TIMEOUT_CODES.has(error.code)) {
      await client.liveness.ask(client);
      client.signal.throwIfAborted();
    }
    if (failed.length >= client.liveness.attempts() || error.code === BODY_TOO_LARGE) {
      throw noResponse(message, failed, client.losses, redact);
    }
    await restBeforeRetry(failed);
  }
}

function sign(client: TargetClient, message: RequestMessage, credentials: Credentials): SignedRequest {
  const path = client.basePath + message.path;
  if ('key' in credentials) {
    const { key } = credentials;
    const [authorization, shownAuthorization] = [[`Bearer ${key.secret}`], `Bearer ${key.label}`];
    return { message, path, key, spender: key, authorization, shownAuthorization };
  }
  const { authorization, spends = null } = credentials;
  const shownAuthorization = hideTokens(client, credentials);
  return { message, path, key: null, spender: spends, authorization, shownAuthorization };
}

/** Sends a request once, and notes what became of it. */
async function tryOnce(
  client: TargetClient,
  pool: ConnectionPool,
  request: SignedRequest,
  lostResponses: number,
): Promise<{ readonly exchange: Exchange } | FailedTry> {
  const { losses } = client;
  const { message, path, key, spender, authorization, shownAuthorization } = request;
  client.spend(spender?.label ?? null);
  const hadOthers = losses.underWay > 0;
  losses.requests += 1;
  losses.underWay += 1;
  const sentUntilNow = losses.requests;
  const ended = client.liveness.sent(losses.requests, message);
  const startedAt = new Date();
  const started = performance.now();
  const sentAt = client.time.now();
  if (spender !== null) {
    spender.usage.sentAt.push(sentAt);
    spender.usage.inFlight += 1;
    client.keys.set(spender.label, spender);
  }
  const told = client.history.requestSent(message, authorization, sentAt);
  const headers = [
    ...authorization.map((value) => ['Authorization', value] as const),
    ...message.headers,
    ...client.extraHeaders,
  ];
  try {
    const response = await pool.send({ ...message, path, headers }, client.longBodies).finally(() => {
      losses.underWay -= 1;
      if (spender !== null) {
        spender.usage.inFlight -= 1;
      }
    });
    ended(true);
    const exchange: Exchange = {
      request: { ...message, path },
      authorization: shownAuthorization,
      key: key?.label ?? null,
      response,
      sentAt,
      receivedAt: client.time.now(),
      lostResponses,
      durationMilliseconds: performance.now() - started,
      startedAt,
    };
    noteExchange(client, request, exchange, told);
    return { exchange };
  } catch (error) {
    ended(false);
    client.signal.throwIfAborted();
    if (!(error instanceof TransportError)) {
      throw error;
    }
    told.lost(client.time.now());
    if (spender !== null) {
      spender.usage.lostResponses += 1;
    }
    client.sender?.trace.note({
      request: { ...message, path },
      authorization: shownAuthorization,
      exchange: null,
      sentAt,
      receivedAt: client.time.now(),
    });
    return { error, wasAlone: !hadOthers && losses.requests === sentUntilNow };
  }
}

/** Has everybody learn from an exchange: trace, clock, key and monitors. */
function noteExchange(
  client: TargetClient,
  request: SignedRequest,
  exchange: Exchange,
  told: ToldRequest,
): void {
  const { key, spender, authorization } = request;
  client.losses.recovered += exchange.lostResponses;
  client.sender?.trace.note({ ...exchange, exchange });
  client.clock.learnFromExchange(exchange);
  const mayBeBanned = key === null ? mayBeRefusedFor(spender, exchange) : noteUsage(key, exchange, client);
  // Two Authorization fields are malformed HTTP, which a gateway may answer in its own way.
  if (authorization.length <= 1) {
    inspect(client, exchange, key, mayBeBanned);
  }
  noteJudgements(client, told.received(exchange));
}

const SECRET_LENGTH = 8;

/** Hides altered keys too. @returns what stands for the whole field */
function hideTokens(
  client: TargetClient,
  { authorization, labels }: Extract<Credentials, { readonly authorization: unknown }>,
): string | null {
  for (const [index, value] of authorization.entries()) {
    const token = value.replace(/^\S+\s+/, '');
    if (token.length >= SECRET_LENGTH) {
      client.redactor.hide(token, labels[index] ?? '[altered key]');
    }
  }
  return labels.length === 0 ? null : labels.join(' | ');
}

/** Whether a key that was spelled in another way may have been banned already. */
function mayBeRefusedFor(spender: Key | null, { sentAt }: Exchange): boolean {
  return spender !== null && (spender.usage.earlyRequests > 0 || sentAt < spender.usage.retryAt);
}

/** Counts the exchange on its key. @returns whether the key may be banned by now */
function noteUsage(key: Key, exchange: Exchange, client: TargetClient): boolean {
  const { usage } = key;
  const rateLimit = rateLimitOf(exchange);
  if (rateLimit !== undefined) {
    usage.last = { rateLimit, receivedAt: exchange.receivedAt };
  }
  const { status } = exchange.response;
  if (isAccepted(exchange)) {
    // What was under way already when a 429 came in shows no patience.
    if (exchange.sentAt > usage.refusedAt) {
      usage.earlyRequests = 0;
      usage.retryAt = 0;
    }
    usage.accepted += 1;
    const isFull =
      rateLimit?.limit === planningLimits(key).perMinute && rateLimit.remaining === rateLimit.limit - 1;
    usage.acceptedSinceFull = isFull ? 1 : usage.acceptedSinceFull + 1;
    return false;
  }
  if ([401, 403, 429].includes(status)) {
    // Of requests that were under way together, the server may have refused others first.
    const isAmongOthers =
      usage.inFlight > 0 && sentInLastMinute(key, exchange.receivedAt) > planningLimits(key).perMinute;
    const hadNotWaited = usage.refusals > 0 && exchange.sentAt < usage.retryAt;
    // The response that was lost may have been the first refusal.
    if (hadNotWaited || (status !== 429 && isAmongOthers) || exchange.lostResponses > 0) {
      usage.earlyRequests += 1;
    }
    // Nobody knows how long a Retry-After that cannot be read asks for; a minute is patient.
    const wait = secondsToWait(exchange, client.clock) ?? (status === 429 ? MINUTE_SECONDS : undefined);
    if (status === 429) {
      usage.refusals += 1;
      usage.refusedAt = exchange.receivedAt;
    }
    if (wait !== undefined) {
      usage.retryAt = Math.max(usage.retryAt, exchange.receivedAt + wait * 1000);
    }
  }
  // Of requests that are under way together, the server may have answered others with the first 429.
  return usage.earlyRequests > 0 || (status === 429 && usage.inFlight > 0);
}
