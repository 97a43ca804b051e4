import type { HeaderField } from '../../contract/verdict.ts';
import { condense, type Exchange, type Operation } from './exchange.ts';

/** What a test wants of an exchange; the rest is that of an ordinary list request. */
export interface ExchangeSample {
  readonly operation?: Operation | null;
  readonly method?: string;
  readonly path?: string;
  readonly requestHeaders?: readonly HeaderField[];
  readonly requestBody?: string | Uint8Array | null;
  readonly authorization?: string | null;
  readonly key?: string | null;
  readonly status?: number;
  readonly headers?: readonly HeaderField[];
  readonly body?: string | Buffer;
  /** Milliseconds of the timekeeper. */
  readonly sentAt?: number;
  readonly receivedAt?: number;
  readonly startedAt?: Date;
}

/** Builds an exchange for tests, as the wire would hand it over. */
export function sampleExchange(sample: ExchangeSample): Exchange {
  const { sentAt = 0, receivedAt = sentAt, body = '' } = sample;
  return {
    request: {
      operation: sample.operation === undefined ? 'listInventory' : sample.operation,
      method: sample.method ?? 'GET',
      path: sample.path ?? '/v1/inventory',
      headers: sample.requestHeaders ?? [],
      body: sample.requestBody ?? null,
    },
    authorization: sample.authorization ?? null,
    key: sample.key ?? null,
    response: condense({
      status: sample.status ?? 200,
      headers: sample.headers ?? [],
      body: typeof body === 'string' ? Buffer.from(body) : body,
    }),
    sentAt,
    receivedAt,
    lostResponses: 0,
    durationMilliseconds: receivedAt - sentAt,
    startedAt: sample.startedAt ?? new Date(sentAt),
  };
}

/** The three rate limit headers of a response; requests, requests, Unix seconds. */
export function rateLimitFields(
  limit: number | string,
  remaining: number | string,
  reset: number | string,
): readonly HeaderField[] {
  return [
    ['X-RateLimit-Limit', String(limit)],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(reset)],
  ];
}
