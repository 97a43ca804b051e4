import type { HeaderField } from '../../contract/verdict.ts';
import { headerValues } from '../../contract/rate-limit-headers.ts';
import { condense, type Exchange, type RequestMessage, type ResponseMessage } from './exchange.ts';

const ONE_AT_MOST = ['Authorization', 'Content-Length', 'Content-Type', 'Host'];

/** Whether a request is malformed HTTP, so that what stands before the service may have answered it. */
export function isMalformed(headers: readonly HeaderField[]): boolean {
  return ONE_AT_MOST.some((name) => headerValues(headers, name).length > 1);
}

/** An exchange that others made. Moments are Unix milliseconds. @param key label of the key that it presented */
export function seenExchange(
  request: RequestMessage,
  key: string | null,
  response: ResponseMessage,
  { sentAt, receivedAt }: Pick<Exchange, 'sentAt' | 'receivedAt'>,
): Exchange {
  return {
    request,
    authorization: key === null ? null : `Bearer ${key}`,
    key,
    response: condense(response),
    sentAt,
    receivedAt,
    lostResponses: 0,
    durationMilliseconds: receivedAt - sentAt,
    startedAt: new Date(sentAt),
  };
}

/**
 * Tells of the beginnings and the ends of exchanges in the order in which they happened.
 * @param begin is told of a beginning @returns to be called at its end
 */
export function tellInOrder<Seen>(
  exchanges: readonly Seen[],
  spanOf: (exchange: Seen) => { readonly from: number; readonly to: number | null },
  begin: (exchange: Seen) => () => void,
): void {
  const enders = new Map<Seen, () => void>();
  const moments = exchanges
    .flatMap((exchange) => {
      const { from, to } = spanOf(exchange);
      const beginning = { at: from, exchange, isEnd: false };
      return to === null ? [beginning] : [beginning, { at: to, exchange, isEnd: true }];
    })
    // What ends at the moment at which another begins may have overlapped it.
    .toSorted((one, other) => one.at - other.at || Number(one.isEnd) - Number(other.isEnd));
  for (const { exchange, isEnd } of moments) {
    if (isEnd) {
      enders.get(exchange)?.();
      enders.delete(exchange);
    } else {
      enders.set(exchange, begin(exchange));
    }
  }
}
