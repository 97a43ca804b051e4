import { authorizationName } from '../../../contract/field-names.ts';
import {
  describeDay,
  isDocumentedButForSpelling,
  leftOfDay,
  secondsSpared,
  type Exchange,
  type Key,
  type RequestMessage,
} from '../../oracle/index.ts';
import { WaitTooLong } from '../control/timekeeper.ts';
import {
  BODY_TOO_LARGE,
  GATEWAY_PAGE,
  TIMEOUT_CODES,
  TransportError,
  type ConnectionPool,
} from './http-transport.ts';
import { judgeExchange, noteJudgements } from './judge-exchange.ts';
import {
  ATTEMPTS,
  isGatewayPage,
  lastTaken,
  noResponse,
  notSent,
  REFUSED_CODE,
  type FailedTry,
  type Losses,
  type NoResponse,
} from './no-response.ts';
import { provesSpoilt } from './reused-connections.ts';
import { tellHistory, type TargetClient } from './target-client.ts';

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
  const sendAlone: NoResponse['sendAlone'] = async (over, ending) => {
    const result = await client.rightOfWay.alone(() => tryOnce(client, over, request, []));
    if (!('error' in result) || (ending === 'silent' && result.error.silentMilliseconds === 0)) {
      return 'answered';
    }
    return result.error.code === GATEWAY_PAGE || result.error.code === REFUSED_CODE ? 'away' : 'lost';
  };
  const blame: Parameters<typeof noResponse>[0]['blame'] = (id, words, since) => {
    const at = client.time.now();
    const said = tellHistory(client, { type: 'request-unanswered', id, words, since, at });
    noteJudgements(client, said, { unanswered: message });
    return said.length > 0;
  };
  for (;;) {
    client.signal.throwIfAborted();
    if (client.liveness.attempts() === 0) {
      throw notSent(message, redact);
    }
    await untilAllowed(client, request.spender);
    const result = await client.rightOfWay.beside(() => tryOnce(client, pool, request, failed));
    if ('exchange' in result) {
      tellReuse(client, message, failed, result);
      return result.exchange;
    }
    const { error } = result;
    failed.push(result);
    const { goneAfter } = client.losses;
    const lost = noResponse({ message, goneAfter, redact, blame, sendAlone }, failed);
    noteSuspect(client, lost);
    const isTimeout = TIMEOUT_CODES.has(error.code);
    if (failed.length === 1 && isTimeout) {
      await client.liveness.ask(client);
      client.signal.throwIfAborted();
    }
    const isEnough = error.code === BODY_TOO_LARGE || (isTimeout && client.losses.isSilenceJudged);
    if (isEnough || failed.length >= client.liveness.attempts()) {
      if (lost.ending === 'gone') {
        client.losses.goneAfter ??= lastTaken(lost);
      }
      throw lost;
    }
    // The first one may have met a connection that was being closed, which takes no time.
    const mayBeAway = lost.ending === 'gone' || error.code === GATEWAY_PAGE || isDocumented(request);
    if (failed.length === ATTEMPTS - 1 && !isTimeout && mayBeAway) {
      await client.liveness.outlast(client, lost.ending);
    }
  }
}

/** With a key that is spared nothing follows a 429 before its Retry-After, nor goes beyond the day. @throws {WaitTooLong} */
async function untilAllowed({ time }: TargetClient, key: Key | null): Promise<void> {
  if (key?.isSpared !== true) {
    return;
  }
  if (leftOfDay(key, time.now()) === 0 && !time.virtual) {
    throw new WaitTooLong(describeDay(key, time.now()));
  }
  const wait = secondsSpared(key, time.now());
  if (wait > 0) {
    await time.sleep(wait, `room in the limit of ${key.label}`);
  }
}

/** Tells the history if requests go wrong because their connection had been used before. */
function tellReuse(
  client: TargetClient,
  request: RequestMessage,
  [first]: readonly FailedTry[],
  { id, exchange }: AnsweredTry,
): void {
  const { losses } = client;
  const before = first?.error.before ?? null;
  if (before === null || !provesSpoilt(losses.reuse, before, exchange, losses)) {
    return;
  }
  const { words, status, stray } = before;
  const said = tellHistory(client, {
    type: 'connection-spoilt',
    id,
    before: { words, status },
    ...(stray === undefined ? {} : { stray }),
    times: losses.reuse.failed.get(words) ?? 1,
    exchange,
  });
  // It takes several times to prove that, and nothing is proven by one more.
  noteJudgements(client, said, { unanswered: request, isOracles: false });
}

// Nobody waits for the last try of a request if another one of its check fails before, so any try is noted.
function noteSuspect({ losses }: TargetClient, error: NoResponse): void {
  const { ending, sent, wasAlone, wasAmongDocumented } = error;
  if (ending === 'gone' && sent.operation !== null && (wasAlone || wasAmongDocumented)) {
    losses.suspects.set(sent, error);
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

/** A try that got a response. */
interface AnsweredTry {
  readonly id: number;
  readonly exchange: Exchange;
}

/** Sends a request once, and notes what became of it. */
async function tryOnce(
  client: TargetClient,
  pool: ConnectionPool,
  request: SignedRequest,
  failed: readonly FailedTry[],
): Promise<AnsweredTry | FailedTry> {
  const { losses } = client;
  const { message, path, key, spender, authorization, shownAuthorization } = request;
  client.spend(spender?.label ?? null);
  const leaves = noteUnderWay(losses, request);
  const id = losses.requests;
  const ended = client.liveness.sent(losses.requests, message);
  const startedAt = new Date();
  const started = performance.now();
  const sentAt = client.time.now();
  if (spender !== null) {
    spender.usage.sentAt.push(sentAt);
    client.keys.set(spender.label, spender);
  }
  tellHistory(client, { type: 'request-sent', id, request: message, authorization, spender, at: sentAt });
  const headers = [
    ...authorization.map((value) => [authorizationName(message.headers), value] as const),
    ...message.headers,
    ...client.extraHeaders,
  ];
  try {
    // An idle connection may be closed as a request leaves, and so may the next one.
    const manner = { isApart: failed.length > 0, isHurried: losses.isSilenceJudged };
    const wire = { ...message, path, headers, isDocumented: isDocumented(request), ...manner };
    const response = await pool.send(wire, client.longBodies).finally(leaves.end);
    const isPage = isGatewayPage(losses, response);
    if (isPage) {
      askAgain(client, request, response.status, failed);
    }
    ended(true);
    losses.suspects.clear();
    losses.failedSinceAnswer = 0;
    losses.goneAfter = null;
    const exchange: Exchange = {
      request: { ...message, path },
      authorization: shownAuthorization,
      key: key?.label ?? null,
      response,
      sentAt,
      receivedAt: client.time.now(),
      lostResponses: failed.length,
      durationMilliseconds: performance.now() - started,
      startedAt,
    };
    if (leaves.wasAlone()) {
      client.noteResponseTime(exchange.durationMilliseconds);
    }
    if (!isPage) {
      noteRecovery(losses, failed);
    }
    noteReturn(client, exchange.receivedAt);
    judgeExchange(client, exchange, {
      key,
      spender: spender?.label ?? null,
      fields: authorization.length,
      id,
    });
    return { id, exchange };
  } catch (error) {
    ended(false);
    client.signal.throwIfAborted();
    if (!(error instanceof TransportError)) {
      throw error;
    }
    tellHistory(client, { type: 'response-lost', id, at: client.time.now() });
    losses.failedSinceAnswer += 1;
    losses.wasAway ||= tellsOfAbsence(error, failed, message);
    if (spender !== null) {
      spender.usage.lostResponses += 1;
    }
    return { error, id, wasAlone: leaves.wasAlone(), wasAmongDocumented: leaves.wasAmongDocumented() };
  }
}

/** A service that was started again may have forgotten what it held in memory. */
function noteReturn(client: TargetClient, at: number): void {
  const { losses } = client;
  if (losses.wasAway) {
    tellHistory(client, { type: 'gap', at });
    losses.wasAway = false;
    losses.absences += 1;
  }
}

/** A request was answered after such tries. */
function noteRecovery(losses: Losses, failed: readonly FailedTry[]): void {
  const pages = failed.filter(({ error }) => error.code === GATEWAY_PAGE).length;
  losses.recovered += failed.length;
  losses.ofGateway += pages;
  losses.wasAway ||= pages > 1;
}

/** @throws {TransportError} if a gateway may yet be followed by its service */
function askAgain(
  { liveness, losses }: TargetClient,
  request: SignedRequest,
  status: number,
  failed: readonly FailedTry[],
): void {
  if (failed.length < liveness.attempts() - 1) {
    throw new TransportError(`a gateway answered ${status}`, GATEWAY_PAGE);
  }
  losses.isGatewayJudged ||= isDocumented(request) && request.message.operation !== null;
}

/**
 * Whether it shows that the service was away for a while, so that it may have been started again. A request whose
 * answer is open may be one to which a gateway always answers so.
 */
function tellsOfAbsence(
  { code }: TransportError,
  { length }: readonly FailedTry[],
  { operation }: RequestMessage,
): boolean {
  return code === REFUSED_CODE || (code === GATEWAY_PAGE && length > 0 && operation !== null);
}

/** Whether the specification says what is answered; several Authorization fields are malformed HTTP. */
function isDocumented({ message, authorization }: SignedRequest): boolean {
  return isDocumentedButForSpelling(message) && authorization.length <= 1;
}

/** Whether nothing was under way at first, and nothing has been sent since. */
function undisturbedIn(counts: { readonly requests: number; readonly underWay: number }): () => boolean {
  const { requests, underWay } = counts;
  return () => underWay === 0 && counts.requests === requests;
}

/** Takes note of a try, and of what is under way beside it. */
function noteUnderWay(losses: Losses, request: SignedRequest) {
  const isNamed = isDocumented(request);
  const notedIn = isNamed ? [losses] : [losses, losses.undocumented];
  for (const counts of notedIn) {
    counts.requests += 1;
  }
  const mayHaveEnded = losses.failedSinceAnswer > 0;
  const [wasAlone, noOtherKind] = [undisturbedIn(losses), undisturbedIn(losses.undocumented)];
  for (const counts of notedIn) {
    counts.underWay += 1;
  }
  return {
    end: (): void => {
      for (const counts of notedIn) {
        counts.underWay -= 1;
      }
    },
    wasAlone: (): boolean => !mayHaveEnded && wasAlone(),
    wasAmongDocumented: (): boolean => !mayHaveEnded && isNamed && noOtherKind(),
  };
}

/** Hides altered keys too. @returns what stands for the whole field */
function hideTokens(
  client: TargetClient,
  { authorization, labels }: Extract<Credentials, { readonly authorization: unknown }>,
): string | null {
  for (const [index, value] of authorization.entries()) {
    client.redactor.hideToken(value, labels[index]);
  }
  return labels.length === 0 ? null : labels.join(' | ');
}
