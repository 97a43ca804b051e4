import { gzipSync } from 'node:zlib';

import type { Alteration } from '../alterations/alteration.ts';
import type { Connection } from '../service/messages.ts';
import { changeResponses, withBody } from '../alterations/responses.ts';
import { headerOf, withHeader, withoutHeader } from '../service/header-fields.ts';
import { changeEveryResponse } from './every-response.ts';
import type { Variant } from './variant.ts';

function closingAfter(id: string, title: string, most: number): Variant {
  return {
    id,
    title,
    freedom: 'connections',
    alter: changeResponses(() => {
      const responses = new WeakMap<Connection, number>();
      return (response, { connection }) => {
        const count = (responses.get(connection) ?? 0) + 1;
        responses.set(connection, count);
        return count < most ? response : withHeader(response, 'Connection', 'close');
      };
    }),
  };
}

/** Whether a request allows gzip by name; a weight of 0 forbids it (RFC 9110, section 12.5.3). */
function allowsGzip(headers: readonly string[]): boolean {
  const accepted = headers.filter(
    (_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === 'accept-encoding',
  );
  return accepted
    .join(',')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .some((part) => part.split(';')[0]?.trim() === 'gzip' && !/;\s*q=0(?:\.0*)?$/.test(part));
}

/** Codes contents by gzip for those who allow it. */
export const gzipWhereAllowed: Alteration = changeEveryResponse(() => (response, request) => {
  const { body } = response;
  const isCoded =
    request !== undefined &&
    allowsGzip(request.headers) &&
    body.length > 0 &&
    headerOf(response, 'Content-Encoding') === undefined;
  const { headers, ...rest } = isCoded
    ? withHeader(withBody(response, gzipSync(body)), 'Content-Encoding', 'gzip')
    : response;
  return { ...rest, headers: [...headers, 'Vary', 'Accept-Encoding'] };
});

export const CONNECTION_VARIANTS: readonly Variant[] = [
  closingAfter('connection-closed-after-each-response', 'Each response closes its connection', 1),
  closingAfter(
    'connection-closed-after-seven-responses',
    'Each connection is closed after seven responses',
    7,
  ),
  {
    id: 'idle-connections-closed-soon',
    title: 'A connection without a request for a second is closed',
    freedom: 'connections',
    alter: { options: (options) => ({ ...options, keepAliveMilliseconds: 1_000 }) },
  },

  {
    id: 'chunked',
    title: 'Contents are sent in chunks, without Content-Length',
    freedom: 'framing',
    // The edge frames content without a length in chunks.
    alter: changeResponses(() => (response) => withoutHeader(response, 'Content-Length')),
  },

  {
    id: 'gzip',
    title: 'Contents are coded by gzip for those who allow it',
    freedom: 'content coding',
    alter: gzipWhereAllowed,
  },
];
