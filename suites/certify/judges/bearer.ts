import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { ClientJudge } from '../records/record.ts';
import { momentOf, clientRequests } from '../records/traffic-reading.ts';
import type { ClientExchange } from '../records/traffic.ts';

/** The key as bearer token on every request; the name of the scheme in any letter-case (RFC 9110, section 11.1). */
export const bearer: ClientJudge = {
  id: 'bearer',
  title: 'The client sends its key as bearer token',
  judges: ['client-sends-bearer'],
  judge: (record, say) => {
    const requests = clientRequests(record);
    for (const [index, exchange] of requests.entries()) {
      const problem = problemOf(exchange, record.apiKey);
      if (problem !== null) {
        say.fail(
          'client-sends-bearer',
          `Request ${index + 1} of ${requests.length}, at ${momentOf(record, exchange.receivedAt)}, ${problem}.`,
          'Send "Authorization: Bearer <API_KEY>", once, on every request, retries too.',
          exchange,
        );
        return;
      }
    }
    if (requests.length > 0) {
      say.pass('client-sends-bearer');
    }
  },
};

function problemOf({ request }: ClientExchange, apiKey: string): string | null {
  const values = headerValues(request.headers, 'Authorization');
  const [value] = values;
  if (value === undefined) {
    return 'has no Authorization header';
  }
  if (values.length > 1) {
    return `has ${values.length} Authorization headers`;
  }
  const { scheme, token } = /^(?<scheme>\S+)(?: +(?<token>.*))?$/.exec(value.trim())?.groups ?? {};
  if (token === undefined) {
    return value.includes(apiKey)
      ? 'carries the key without the scheme Bearer'
      : 'has an Authorization header without a token';
  }
  if (scheme?.toLowerCase() !== 'bearer') {
    return 'has an Authorization header with another scheme than Bearer';
  }
  return token === apiKey ? null : `carries ${nameToken(token, apiKey)}`;
}

/** No part of a key is shown. */
function nameToken(token: string, apiKey: string): string {
  if (token.toLowerCase() === apiKey.toLowerCase()) {
    return 'the key in another letter-case';
  }
  if (token.includes(apiKey)) {
    return 'the key with something around it';
  }
  return apiKey.startsWith(token) ? 'only the beginning of the key' : 'another key than the one it was given';
}
