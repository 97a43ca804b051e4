import { parseJson, type JsonValue } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { parseRetryAfter, type RetryAfter } from '../../../contract/retry-after.ts';
import { decodeContent } from '../../target/index.ts';
import type { ScenarioRecord } from './record.ts';
import type { ClientExchange } from './traffic.ts';

export type AnsweredExchange = ClientExchange & { readonly answeredAt: number };

/** An answer that asks the client to stay away until `allowedAt`. */
export type LimitingExchange = AnsweredExchange & { readonly allowedAt: number };

/** What the client itself sent, in order of arrival: a CORS preflight is the browser's. */
export function clientRequests({ traffic }: ScenarioRecord): readonly ClientExchange[] {
  return traffic.exchanges.filter(({ request }) => !isPreflight(request));
}

function isPreflight({ method, headers }: ClientExchange['request']): boolean {
  return method === 'OPTIONS' && headerValues(headers, 'Access-Control-Request-Method').length > 0;
}

/** What was answered, in order of the answers. */
export function answersOf(record: ScenarioRecord): readonly AnsweredExchange[] {
  return clientRequests(record)
    .filter((exchange) => isAnswered(exchange))
    .toSorted((one, other) => one.answeredAt - other.answeredAt);
}

export function isAnswered(exchange: ClientExchange): exchange is AnsweredExchange {
  return exchange.answeredAt !== null;
}

export function isLimiting(exchange: AnsweredExchange): exchange is LimitingExchange {
  return exchange.allowedAt !== null;
}

/** Hardly time to read an answer, to open a connection and to send the next request; seconds. */
const SAME_MOMENT_SECONDS = 0.005;

/** Whether the second of two requests came too soon to follow from the answer to the first. */
export function isSentAtOnce(first: ClientExchange, second: ClientExchange): boolean {
  return first.connection !== second.connection && second.receivedAt - first.receivedAt < SAME_MOMENT_SECONDS;
}

/** Whether that status says that the same request will never do. */
export function isRefusal({ response }: ClientExchange): boolean {
  return [400, 401, 404].includes(response.status);
}

export function sentRetryAfter({ response }: ClientExchange): RetryAfter | undefined {
  const [value] = headerValues(response.headers, 'Retry-After');
  return value === undefined ? undefined : parseRetryAfter(value);
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

/** What is said of a request that is wrong where those before it were right, as with a retry. */
export function afterRight(index: number): string {
  return index === 0
    ? ''
    : ` It was request ${index + 1}; ${index === 1 ? 'the first was' : 'those before it were'} right.`;
}
