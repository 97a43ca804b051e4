import { secondsToWait } from '../../oracle/index.ts';
import { MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import {
  rateLimitOf,
  isAccepted,
  type Exchange,
  type RequestMessage,
  needsRequestTrace,
  type Judgements,
  planningLimits,
  sentInLastMinute,
  type Key,
  type Monitor,
  type Reporter,
  type ServerClock,
} from '../../oracle/index.ts';
import { BODY_TOO_LARGE, TIMEOUT_CODES, TransportError, type ConnectionPool } from './http-transport.ts';
import type { CurlSurroundings } from './curl-line.ts';
import type { Credentials } from './credentials.ts';
import { noResponse, notSent, restBeforeRetry, type FailedTry, type Losses } from './no-response.ts';
import type { Redactor } from '../redaction/redaction.ts';
import type { Timekeeper } from '../control/timekeeper.ts';
import type { RequestTrace } from './request-trace.ts';
import type { Turnstile } from './turnstile.ts';

/** Tells a target that answers nothing any more from one that lets a single request hang. */
export interface Liveness {
  /** To be called when a try of a request leaves; what it returns, when that got a response or was given up. */
  readonly sent: (number: number, message: RequestMessage) => (isAnswered: boolean) => void;
  /** To be called when a request got no response: finds out whether anything does, and ends the run where not. */
  readonly ask: (client: TargetClient) => Promise<void>;
  /** Whether it was found to answer nothing any more. */
  readonly isGone: () => boolean;
  /** How often a request is sent until it gets a response; 0 for not at all, since that was tried once after all. */
  readonly attempts: () => number;
}

/** What every exchange of a run passes through. */
export interface TargetClient {
  readonly origin: string;
  readonly basePath: string;
  /** Header fields that the user wants on every request. */
  readonly extraHeaders: readonly (readonly [string, string])[];
  readonly time: Timekeeper;
  readonly clock: ServerClock;
  readonly redactor: Redactor;
  readonly judgements: Judgements;
  readonly monitors: readonly Monitor[];
  readonly signal: AbortSignal;
  readonly losses: Losses;
  readonly liveness: Liveness;
  /** The check that sends, with what it sent so far; `null` where no check does. */
  readonly sender: { readonly check: string; readonly trace: RequestTrace } | null;
  /** The keys that were sent, by label. */
  readonly keys: Map<string, Key>;
  readonly curl: CurlSurroundings;
  /** Long bodies are received and read one after the other, so that they are not in memory together. */
  readonly longBodies: Turnstile;
  /** Counts a request that is about to leave. @throws {BudgetError} where it was not announced. */
  readonly spend: (label: string | null) => void;
}

/** The check would have sent more than was announced. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

const SECRET_LENGTH = 8;

/**
 * Carries out one exchange: budget, transport, the key's usage, the server's clock, the monitors.
 * A lost connection is tried again, since a server may close an idle one at any time (RFC 9112, section 9.5).
 */
export async function performExchange(
  client: TargetClient,
  pool: ConnectionPool,
  message: RequestMessage,
  credentials: Credentials,
): Promise<Exchange> {
  const key = 'key' in credentials ? credentials.key : null;
  const authorization =
    'key' in credentials ? [`Bearer ${credentials.key.secret}`] : credentials.authorization;
  const shownAuthorization =
    'key' in credentials ? `Bearer ${credentials.key.label}` : hideTokens(client, credentials);
  const headers = [
    ...authorization.map((value) => ['Authorization', value] as const),
    ...message.headers,
    ...client.extraHeaders,
  ];
  const failed: FailedTry[] = [];
  for (let attempt = 1; ; attempt += 1) {
    client.signal.throwIfAborted();
    if (client.liveness.attempts() === 0) {
      throw notSent(message, (text) => client.redactor.redact(text));
    }
    const spender = 'key' in credentials ? credentials.key : (credentials.spends ?? null);
    client.spend(spender?.label ?? null);
    const hadOthers = client.losses.underWay > 0;
    client.losses.requests += 1;
    client.losses.underWay += 1;
    const sentUntilNow = client.losses.requests;
    const ended = client.liveness.sent(client.losses.requests, message);
    const startedAt = new Date();
    const started = performance.now();
    const sentAt = client.time.now();
    if (spender !== null) {
      spender.usage.sentAt.push(sentAt);
      spender.usage.inFlight += 1;
      client.keys.set(spender.label, spender);
    }
    try {
      const response = await pool
        .send({ ...message, path: client.basePath + message.path, headers }, client.longBodies)
        .finally(() => {
          client.losses.underWay -= 1;
          if (spender !== null) {
            spender.usage.inFlight -= 1;
          }
        });
      ended(true);
      const exchange: Exchange = {
        request: { ...message, path: client.basePath + message.path },
        authorization: shownAuthorization,
        key: key?.label ?? null,
        response,
        sentAt,
        receivedAt: client.time.now(),
        lostResponses: attempt - 1,
        durationMilliseconds: performance.now() - started,
        startedAt,
      };
      client.losses.recovered += exchange.lostResponses;
      client.sender?.trace.note({ ...exchange, exchange });
      client.clock.learnFromExchange(exchange);
      const mayBeBanned =
        key === null ? mayBeRefusedFor(spender, exchange) : noteUsage(key, exchange, client);
      // Two Authorization fields are malformed HTTP, which a gateway may answer in its own way.
      if (authorization.length <= 1) {
        inspect(client, exchange, key, mayBeBanned);
      }
      return exchange;
    } catch (error) {
      ended(false);
      client.signal.throwIfAborted();
      if (!(error instanceof TransportError)) {
        throw error;
      }
      if (spender !== null) {
        spender.usage.lostResponses += 1;
      }
      failed.push({ error, wasAlone: !hadOthers && client.losses.requests === sentUntilNow });
      client.sender?.trace.note({
        request: { ...message, path: client.basePath + message.path },
        authorization: shownAuthorization,
        exchange: null,
        sentAt,
        receivedAt: client.time.now(),
      });
      if (attempt === 1 && TIMEOUT_CODES.has(error.code)) {
        await client.liveness.ask(client);
        client.signal.throwIfAborted();
      }
      if (attempt >= client.liveness.attempts() || error.code === BODY_TOO_LARGE) {
        throw noResponse(message, failed, client.losses, (text) => client.redactor.redact(text));
      }
      await restBeforeRetry(failed);
    }
  }
}

/** Sees to it that an altered key is not shown either. Returns what stands for the whole field. */
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

/** Keeps book for the key. Returns whether it may be banned by now. */
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
    // Nobody knows how long a Retry-After that can't be read asks for; a minute is patient.
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

/** Has every monitor judge an exchange. */
export function inspect(
  client: TargetClient,
  exchange: Exchange,
  key: Key | null,
  mayBeBanned: boolean,
): void {
  const circumstances = { key, mayBeBanned, clock: client.clock };
  for (const monitor of client.monitors) {
    monitor.watch(exchange, reporterFor(client, monitor.id, exchange), circumstances);
  }
}

function reporterFor(client: TargetClient, by: string, exchange: Exchange): Reporter {
  return {
    judge: (id, holds, message) => {
      if (holds) {
        client.judgements.pass(by, id);
      } else {
        client.judgements.fail(by, id, evidence(client, message(), exchange, id));
      }
      return holds;
    },
    observe: (id, value, facet) => {
      const shown = typeof value === 'string' ? client.redactor.redact(value) : value;
      client.judgements.observe(by, id, shown, facet);
    },
  };
}

/**
 * A finding with the exchange that shows it, and the steps that led there where one exchange does not show it.
 * @param id of the requirement that is judged, where it is one
 */
export function evidence(
  client: TargetClient,
  message: string,
  exchange?: Exchange,
  id?: RequirementId,
): Finding {
  const { redactor, origin, sender } = client;
  const steps =
    exchange === undefined || (id !== undefined && needsRequestTrace(id))
      ? (sender?.trace.steps(redactor, origin) ?? [])
      : [];
  const key = exchange?.key === null ? undefined : client.keys.get(exchange?.key ?? '');
  return {
    message: redactor.redact(message),
    ...(exchange === undefined
      ? {}
      : {
          exchange: redactor.record(exchange, origin),
          curl: redactor.curl(exchange, origin, key, client.curl),
        }),
    ...(sender === null ? {} : { check: sender.check }),
    ...(steps.length === 0 ? {} : { steps }),
  };
}
