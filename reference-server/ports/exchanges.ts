import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type {
  BodyReading,
  Service,
  ServiceRequest,
  ServiceResponse,
  MessageRefusal,
} from '../service/messages.ts';
import type { Router } from '../service/router.ts';
import {
  hasContent,
  readIncomingBody,
  afterResponses,
  type Connections,
  type ConnectionState,
  closeGently,
  writeRawResponse,
} from './connections.ts';

/** What turns HTTP messages into requests of a service, and its responses into HTTP messages. */
export interface Edge {
  readonly service: Service;
  readonly maximumBodyBytes: number;
  /** Knows the methods of a path, for requests with a method that node's parser does not know. */
  readonly route: Router;
  readonly connections: Connections;
  /** Whether each response closes its connection. */
  readonly isClosing: () => boolean;
}

/** What node's parser reports for data after a request with `Connection: close`. */
const SENT_AFTER_CLOSE = 'HPE_CLOSED_CONNECTION';

/** Answers one request; a connection on which that fails is dropped. */
export function answerRequest(edge: Edge, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming;
  try {
    answer(edge, incoming, outgoing, edge.connections.stateOf(socket));
  } catch (error) {
    giveUp(socket, error);
  }
}

/** Answers a CONNECT request, for which node hands over the bare socket. */
export function answerConnect(edge: Edge, incoming: IncomingMessage, socket: Duplex): void {
  const state = edge.connections.stateOf(socket);
  Promise.resolve(respond(edge, incoming, state))
    .then((response) => afterResponses(state, () => writeRawResponse(socket, response)))
    .catch((error: unknown) => giveUp(socket, error));
}

/** Answers what is not well-formed HTTP, and closes its connection. */
export function answerParserError(edge: Edge, error: Error & ParserError, socket: Duplex): void {
  const state = edge.connections.stateOf(socket);
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (state.failed) {
    return;
  }
  state.failed = true;
  if (error.code === SENT_AFTER_CLOSE) {
    // The response to the last request closes the connection.
    return;
  }
  if (state.incoming === undefined || state.incoming.complete) {
    const response = edge.service.refuse(refusalOfParserError(error, edge.route));
    afterResponses(state, () => writeRawResponse(socket, response));
  } else {
    // The error lies in the body that is being read: its own response says so.
    state.body?.abandon();
    afterResponses(state, () => closeGently(socket));
  }
}

export function warnOperator(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

function answer(
  edge: Edge,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  state: ConnectionState,
): void {
  state.incoming = hasContent(incoming) ? incoming : undefined;
  state.body = undefined;
  const refusal = refusalOfHead(incoming);
  const response = refusal === undefined ? respond(edge, incoming, state) : edge.service.refuse(refusal);
  // A response without a socket stands behind others that are not written yet.
  if (response instanceof Promise || outgoing.socket === null) {
    state.awaited = outgoing;
  }
  if (response instanceof Promise) {
    const { socket } = incoming;
    const isCutShort = (): boolean => state.failed && !incoming.complete;
    response
      .then((settled) => send(outgoing, settled, edge.isClosing() || isCutShort()))
      .catch((error: unknown) => giveUp(socket, error));
  } else {
    send(outgoing, response, edge.isClosing() || refusal !== undefined);
  }
}

function respond(
  edge: Edge,
  incoming: IncomingMessage,
  state: ConnectionState,
): ServiceResponse | Promise<ServiceResponse> {
  const { service } = edge;
  try {
    const response = service.respond(toRequest(edge, incoming, state));
    return response instanceof Promise
      ? response.catch((error: unknown) => refuseFailed(service, error))
      : response;
  } catch (error) {
    return refuseFailed(service, error);
  }
}

function toRequest(
  { maximumBodyBytes }: Edge,
  incoming: IncomingMessage,
  state: ConnectionState,
): ServiceRequest {
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: incoming.rawHeaders,
    connection: state.connection,
    readBody: (): Promise<BodyReading> => {
      state.body = readIncomingBody(incoming, maximumBodyBytes);
      if (state.failed && !incoming.complete) {
        state.body.abandon();
      }
      return state.body.reading;
    },
  };
}

function refuseFailed(service: Service, error: unknown): ServiceResponse {
  warnOperator(error);
  return service.refuse({ status: 500, code: 'internal_error', message: 'The service has failed.' });
}

/** Drops a connection whose request cannot be answered at all. */
function giveUp(socket: Duplex, error: unknown): void {
  warnOperator(error);
  socket.destroy();
}

/** What a write ends with if the client closed before; a client that closes on what it was sent is another matter. */
const LOST: ReadonlySet<unknown> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

function send(
  outgoing: ServerResponse,
  { status, headers, body, spell, onLost }: ServiceResponse,
  close: boolean,
): void {
  const { socket } = outgoing;
  // The service writes the Date itself.
  outgoing.sendDate = false;
  outgoing.writeHead(status, close ? [...headers, 'Connection', 'close'] : headers);
  if (spell !== undefined && socket !== null) {
    endSpelled(outgoing, socket, body, spell);
  } else {
    // Cheaper than UTF-8, and the same for ASCII.
    outgoing.end(body, 'latin1');
  }
  if (onLost !== undefined) {
    // A client that is gone answers what it was sent with a reset, which only a further write tells.
    socket?.write('', (error) => {
      if (error instanceof Error && 'code' in error && LOST.has(error.code)) {
        onLost();
      }
    });
  }
}

const PAUSE_MILLISECONDS = 3;

/** Ends a response in other bytes than those that node writes, which are held back for that. */
function endSpelled(
  outgoing: ServerResponse,
  socket: Socket,
  body: string | Uint8Array,
  spell: NonNullable<ServiceResponse['spell']>,
): void {
  const held: Buffer[] = [];
  const told: (() => void)[] = [];
  const write = (data: string | Uint8Array, _encoding: unknown, done?: (() => void) | null): true => {
    held.push(typeof data === 'string' ? Buffer.from(data, 'latin1') : Buffer.from(data));
    told.push(...(typeof done === 'function' ? [done] : []));
    return true;
  };
  Object.assign(socket, { write });
  outgoing.end(body, 'latin1');
  Reflect.deleteProperty(socket, 'write');
  const writePieces = async (): Promise<void> => {
    for (const [index, piece] of spell(Buffer.concat(held), outgoing.req.httpVersionMinor).entries()) {
      await (index > 0 ? delay(PAUSE_MILLISECONDS) : undefined);
      socket.write(piece);
    }
    told.forEach((done) => done());
  };
  writePieces().catch((error: unknown) => giveUp(socket, error));
}

/** What node's HTTP parser reports of an error. */
interface ParserError {
  readonly code?: string;
  /** The bytes that were parsed when the error was found. */
  readonly rawPacket?: Buffer;
  /** Where in `rawPacket` the error lies. */
  readonly bytesParsed?: number;
}

/** Judges what node's parser lets pass: HTTP/1.1 demands exactly one Host field (RFC 9112, section 3.2). */
function refusalOfHead({ rawHeaders, httpVersion }: IncomingMessage): MessageRefusal | undefined {
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
function refusalOfParserError(error: ParserError, route: Router): MessageRefusal {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'headers_too_large', message: 'The header section is too large.' };
    case 'HPE_INVALID_METHOD':
      return refusalOfMethod(error, route);
    default:
      return malformed(describePacket(error.rawPacket));
  }
}

/** Names what clients send most often in place of a request of HTTP/1.1. */
function describePacket(rawPacket: Buffer | undefined): string {
  const packet = rawPacket?.toString('latin1', 0, 64) ?? '';
  if (packet.startsWith('PRI * HTTP/2.0')) {
    return 'The request is in HTTP/2, and the service speaks HTTP/1.1.';
  }
  // The record of a handshake (RFC 8446, section 5.1).
  if (packet.startsWith('\u0016\u0003')) {
    return 'A TLS handshake arrived, and the service speaks HTTP without TLS.';
  }
  return 'The request is not well-formed HTTP.';
}

/** The parser refuses a method that it does not know; the request line tells whether it was one at all. */
function refusalOfMethod({ rawPacket, bytesParsed = 0 }: ParserError, route: Router): MessageRefusal {
  const packet = rawPacket?.toString('latin1') ?? '';
  const requestLine = /^([!#$%&'*+.^_`|~\w-]+) (\S+) HTTP\/1\.[01]\r?\n/.exec(packet);
  const [, method, target] = requestLine ?? [];
  // If the error lies further on, an earlier request begins the packet.
  if (method === undefined || target === undefined || bytesParsed > method.length) {
    return malformed(describePacket(rawPacket));
  }
  const match = route(method, target);
  return match.kind === 'method-not-allowed'
    ? {
        status: 405,
        code: 'method_not_allowed',
        message:
          method === method.toUpperCase()
            ? `Use ${match.allow} here.`
            : `The method is "${method}". Methods are in capital letters: use ${match.allow} here.`,
        headers: ['Allow', match.allow],
      }
    : { status: 404, code: 'not_found', message: 'No such resource.' };
}

function malformed(message: string): MessageRefusal {
  return { status: 400, code: 'malformed_request', message };
}
