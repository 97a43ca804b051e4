import type { IncomingMessage } from 'node:http';

import type { MessageRefusal } from '../service/messages.ts';
import type { Router } from '../service/router.ts';

/** What node's HTTP parser reports of an error. */
export interface ParserError {
  readonly code?: string;
  /** The bytes that were parsed when the error was found. */
  readonly rawPacket?: Buffer;
  /** Where in `rawPacket` the error lies. */
  readonly bytesParsed?: number;
}

/** Judges what node's parser lets pass: HTTP/1.1 demands exactly one Host field (RFC 9112, section 3.2). */
export function refusalOfHead({ rawHeaders, httpVersion }: IncomingMessage): MessageRefusal | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return malformed('The service speaks HTTP/1.1.');
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
    }
  }
  return hosts > 1 || (hosts === 0 && httpVersion === '1.1')
    ? malformed('A request needs one Host header field.')
    : undefined;
}

/** The refusal that fits an error of node's HTTP parser; `route` tells a wrong method from a wrong path. */
export function refusalOfParserError(error: ParserError, route: Router): MessageRefusal {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'headers_too_large', message: 'The header section is too large.' };
    case 'HPE_INVALID_METHOD':
      return refusalOfMethod(error, route);
    default:
      return malformed('The request is not well-formed HTTP.');
  }
}

/** The parser refuses a method that it does not know; the request line tells whether it was one at all. */
function refusalOfMethod({ rawPacket, bytesParsed = 0 }: ParserError, route: Router): MessageRefusal {
  const packet = rawPacket?.toString('latin1') ?? '';
  const requestLine = /^([!#$%&'*+.^_`|~\w-]+) (\S+) HTTP\/1\.[01]\r?\n/.exec(packet);
  const [, method, target] = requestLine ?? [];
  // If the error lies further on, an earlier request begins the packet.
  if (method === undefined || target === undefined || bytesParsed > method.length) {
    return malformed('The request is not well-formed HTTP.');
  }
  const match = route(method, target);
  return match.kind === 'method-not-allowed'
    ? {
        status: 405,
        code: 'method_not_allowed',
        message: `Use ${match.allow} here.`,
        headers: ['Allow', match.allow],
      }
    : { status: 404, code: 'not_found', message: 'No such resource.' };
}

function malformed(message: string): MessageRefusal {
  return { status: 400, code: 'malformed_request', message };
}
