import { parseJson, type JsonValue } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { parseRetryAfter, type RetryAfter } from '../../../contract/retry-after.ts';
import { percentDecoded } from '../../oracle/index.ts';
import { decodeContent } from '../../target/index.ts';
import type { ServiceTrait } from '../scenarios/scenario.ts';
import type { ClientExchange, ScenarioRecord } from './record.ts';

export type AnsweredExchange = ClientExchange & { readonly answeredAt: number };

/** Whether less content came than the header fields announce. */
export function isCutShort({ request: { headers, body } }: ClientExchange): boolean {
  const [length = '0'] = headerValues(headers, 'Content-Length');
  const isFramed = Number(length) > 0 || headerValues(headers, 'Transfer-Encoding').length > 0;
  return isFramed && body.length === 0;
}

/** An answer that asks the client to stay away until `allowedAt`. */
export type LimitingExchange = AnsweredExchange & { readonly allowedAt: number };

/** What the client itself sent, in order of arrival: a CORS preflight is the browser's. */
export function clientRequests({ traffic }: ScenarioRecord): readonly ClientExchange[] {
  return traffic.exchanges.filter(
    ({ request: { method, headers } }) =>
      method !== 'OPTIONS' || headerValues(headers, 'Access-Control-Request-Method').length === 0,
  );
}

/** Whether each answer breaks off: it is incomplete (RFC 9112, section 8), and answers nothing. */
export function breaksOff(record: Pick<ScenarioRecord, 'scenario'>): boolean {
  return hasTrait(record, 'breaks-off');
}

/** Whether each connection closes in place of an answer. */
export function answersNothing(record: Pick<ScenarioRecord, 'scenario'>): boolean {
  return hasTrait(record, 'answers-nothing');
}

/** Whether the service of a scenario has a trait. */
export function hasTrait({ scenario }: Pick<ScenarioRecord, 'scenario'>, trait: ServiceTrait): boolean {
  return scenario.traits?.includes(trait) === true;
}

/** The answers that the client got, in their order. */
export function answersOf(record: ScenarioRecord): readonly AnsweredExchange[] {
  if (breaksOff(record)) {
    return [];
  }
  return clientRequests(record)
    .filter((exchange) => isAnswered(exchange))
    .toSorted((one, other) => one.answeredAt - other.answeredAt);
}

export function isAnswered(exchange: ClientExchange): exchange is AnsweredExchange {
  return exchange.answeredAt !== null && exchange.isLost !== true;
}

export function isLimiting(exchange: AnsweredExchange): exchange is LimitingExchange {
  return exchange.allowedAt !== null;
}

/** The answers that asked for a wait, in their order. */
export function limitingAnswers(record: ScenarioRecord): readonly LimitingExchange[] {
  return answersOf(record).filter((exchange) => isLimiting(exchange));
}

/** What the client sent next once it had that answer. */
export function requestAfter(record: ScenarioRecord, answered: AnsweredExchange): ClientExchange | undefined {
  return clientRequests(record).find(
    (exchange) => exchange !== answered && exchange.receivedAt >= answered.answeredAt,
  );
}

/** A request that came while the client was asked to stay away. */
export interface EarlyRequest {
  /** The answer that asked for it. */
  readonly limiting: LimitingExchange;
  readonly request: ClientExchange;
  /** By how much it came too early; seconds. */
  readonly early: number;
}

/** Timers are coarse: what comes less than this early is let pass; seconds. */
export const TOLERANCE_SECONDS = 0.02;

/** What came before it was allowed, in order of arrival, whether tolerable or not. */
export function earlyRequests(record: ScenarioRecord): readonly EarlyRequest[] {
  const limitings = limitingAnswers(record);
  return clientRequests(record).flatMap((request) =>
    limitings
      .filter(
        (limiting) =>
          limiting !== request &&
          request.receivedAt >= limiting.answeredAt &&
          request.receivedAt < limiting.allowedAt,
      )
      .map((limiting) => ({ limiting, request, early: limiting.allowedAt - request.receivedAt })),
  );
}

/** Whether something came too early; what follows it may only be a consequence. */
export function cameTooEarly(record: ScenarioRecord): boolean {
  return earlyRequests(record).some((request) => !isTolerable(request));
}

export function isTolerable({ early }: EarlyRequest): boolean {
  return early < TOLERANCE_SECONDS;
}

/** Hardly time to read an answer, to open a connection and to send the next request; seconds. */
const SAME_MOMENT_SECONDS = 0.001;

/** Whether the second of two requests came too soon to follow from the answer to the first. */
export function isSentAtOnce(first: ClientExchange, second: ClientExchange): boolean {
  const answeredAt = first.answeredAt ?? Infinity;
  return first.connection !== second.connection && second.receivedAt - answeredAt < SAME_MOMENT_SECONDS;
}

export function sentRetryAfter({ response }: ClientExchange): RetryAfter | undefined {
  const [value] = headerValues(response.headers, 'Retry-After');
  return value === undefined ? undefined : parseRetryAfter(value);
}

/** A wait after a 429 with delta-seconds, and the next request, which ended it; in seconds. */
export interface LimitedWait {
  readonly record: ScenarioRecord;
  readonly limited: AnsweredExchange;
  readonly request: ClientExchange;
  /** What Retry-After asked for. */
  readonly asked: number;
  /** From the moment at which the client was allowed to come back; negative if it came earlier. */
  readonly after: number;
}

/** An HTTP-date names whole seconds of a clock that need not be the client's, so that such waits are left out. */
export function waitsAfterLimits(record: ScenarioRecord): readonly LimitedWait[] {
  const requests = clientRequests(record);
  return requests.flatMap((limited, index) => {
    const retryAfter = limited.response.status === 429 ? sentRetryAfter(limited) : undefined;
    const request = requests[index + 1];
    if (retryAfter?.form !== 'delta-seconds' || request === undefined || !isAnswered(limited)) {
      return [];
    }
    const asked = retryAfter.seconds;
    return [{ record, limited, request, asked, after: request.receivedAt - limited.answeredAt - asked }];
  });
}

const MOST_CONTENT_BYTES = 64 * 1024 * 1024;

/** The content of an answer without its codings. */
export function contentOf({ body, headers }: ClientExchange['response']): Buffer {
  return decodeContent(body, headers, MOST_CONTENT_BYTES) ?? body;
}

/** The content as JSON, or `undefined` if it is not JSON in UTF-8. */
export function parseBody(body: Buffer): JsonValue | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** When the record ends, in Unix seconds. */
export function endOf({ startedAt, durationSeconds }: ScenarioRecord): number {
  return startedAt + durationSeconds;
}

/** A moment in seconds since the client was started, such as `1.02 s`. */
export function momentOf({ startedAt }: ScenarioRecord, unixSeconds: number): string {
  return inSeconds(unixSeconds - startedAt);
}

export function inSeconds(seconds: number): string {
  return `${seconds.toFixed(2)} s`;
}

/**
 * Reads a request target as it stood on the wire, in origin-form or absolute-form (RFC 9112, section 3.2).
 * Spellings that name the same resource read the same: one trailing slash, an empty query, dot segments and
 * needless percent-encoding (RFC 3986, section 6.2.2).
 * @param baseUrl address of the base, without a trailing slash
 * @returns the decoded path segments below the base address, `null` if it lies elsewhere, and the query with its question mark
 */
export function readTarget(
  target: string,
  baseUrl: string,
): { readonly segments: readonly string[] | null; readonly query: string } {
  const url = URL.parse(target.startsWith('/') ? `http://host${target}` : target);
  if (url === null) {
    return { segments: null, query: '' };
  }
  const base = segmentsOf(new URL(baseUrl).pathname);
  const path = segmentsOf(url.pathname);
  const isBelow = base.every((segment, index) => path[index] === segment);
  return { segments: isBelow ? path.slice(base.length) : null, query: url.search };
}

function segmentsOf(pathname: string): readonly string[] {
  return pathname.replace(/\/$/, '').split('/').slice(1).map(percentDecoded);
}
