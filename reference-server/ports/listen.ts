import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { hasContent, readIncomingBody, type IncomingBody } from './body-reader.ts';
import { refusalOfHead, refusalOfParserError, type ParserError } from './malformed.ts';
import type {
  BodyReading,
  Connection,
  Service,
  ServiceRequest,
  ServiceResponse,
} from '../service/messages.ts';
import type { Router } from '../service/router.ts';
import { closeGently, writeRawResponse } from './raw-response.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly maximumBodyBytes: number;
  /** How long `close` waits for responses that are on their way. */
  readonly graceMilliseconds: number;
  /** After this time without a request a connection is closed. */
  readonly keepAliveMilliseconds: number;
  /** Knows the methods of a path, for requests with a method that HTTP's registry doesn't hold. */
  readonly route: Router;
}

export interface Listener {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** Takes no more connections, lets requests in flight finish, and frees the port. */
  readonly close: () => Promise<void>;
}

/** What node's parser says of data after a request with `Connection: close`. */
const SENT_AFTER_CLOSE = 'HPE_CLOSED_CONNECTION';

interface ConnectionState {
  readonly connection: Connection;
  /** The newest request on the connection where it has content; others are let go, which spares the collector. */
  incoming: IncomingMessage | undefined;
  body: IncomingBody | undefined;
  /** The newest response that could not be written at once; no other one is on its way after it. */
  awaited: ServerResponse | undefined;
  /** Whether the parser has given up: no further request can come. */
  failed: boolean;
}

/** Serves a service by HTTP/1.1; the one place that knows sockets. */
export async function listen(service: Service, options: ListenOptions): Promise<Listener> {
  const states = new WeakMap<Duplex, ConnectionState>();
  const open = new Set<Duplex>();
  let connections = 0;
  let closing = false;

  function stateOf(socket: Duplex): ConnectionState {
    let state = states.get(socket);
    if (state === undefined) {
      connections += 1;
      const connection = {
        id: connections,
        remoteAddress: (socket instanceof Socket ? socket.remoteAddress : undefined) ?? '',
        drop: () => {
          socket.destroy();
        },
      };
      state = {
        connection,
        incoming: undefined,
        body: undefined,
        awaited: undefined,
        failed: false,
      };
      states.set(socket, state);
    }
    return state;
  }

  function toRequest(incoming: IncomingMessage, state: ConnectionState): ServiceRequest {
    return {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: incoming.rawHeaders,
      connection: state.connection,
      readBody: (): Promise<BodyReading> => {
        state.body = readIncomingBody(incoming, options.maximumBodyBytes);
        if (state.failed && !incoming.complete) {
          state.body.abandon();
        }
        return state.body.reading;
      },
    };
  }

  function respond(
    incoming: IncomingMessage,
    state: ConnectionState,
  ): ServiceResponse | Promise<ServiceResponse> {
    try {
      const answer = service.respond(toRequest(incoming, state));
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  }

  function failed(error: unknown): ServiceResponse {
    warn(error);
    return service.refuse({ status: 500, code: 'internal_error', message: 'The service has failed.' });
  }

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    try {
      answer(incoming, outgoing, stateOf(socket));
    } catch (error) {
      giveUp(socket, error);
    }
  }

  function answer(incoming: IncomingMessage, outgoing: ServerResponse, state: ConnectionState): void {
    state.incoming = hasContent(incoming) ? incoming : undefined;
    state.body = undefined;
    const refusal = refusalOfHead(incoming);
    const response = refusal === undefined ? respond(incoming, state) : service.refuse(refusal);
    // A response without a socket stands behind others that are not written yet.
    if (response instanceof Promise || outgoing.socket === null) {
      state.awaited = outgoing;
    }
    if (response instanceof Promise) {
      const { socket } = incoming;
      const isCutShort = (): boolean => state.failed && !incoming.complete;
      response
        .then((settled) => send(outgoing, settled, closing || isCutShort()))
        .catch((error: unknown) => giveUp(socket, error));
    } else {
      send(outgoing, response, closing || refusal !== undefined);
    }
  }

  function onParserError(error: Error & ParserError, socket: Duplex): void {
    const state = stateOf(socket);
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
      const response = service.refuse(refusalOfParserError(error, options.route));
      afterAnswers(state, () => writeRawResponse(socket, response));
    } else {
      // The error lies in the body that is being read: its own response says so.
      state.body?.abandon();
      afterAnswers(state, () => closeGently(socket));
    }
  }

  function onConnect(incoming: IncomingMessage, socket: Duplex): void {
    const state = stateOf(socket);
    Promise.resolve(respond(incoming, state))
      .then((response) => afterAnswers(state, () => writeRawResponse(socket, response)))
      .catch((error: unknown) => giveUp(socket, error));
  }

  const server = createServer(
    {
      keepAliveTimeout: options.keepAliveMilliseconds,
      // Node would add a second, after which a client that waited so long may be sending again.
      keepAliveTimeoutBuffer: 0,
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    onRequest,
  );
  // The size of the header section is bounded; a bound on the number of fields would drop some without a word.
  server.maxHeadersCount = 0;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // After `connect` nothing of node's listens any more, and an error that nobody hears would end the process.
    socket.on('error', ignore);
  });
  server.on('checkExpectation', onRequest);
  server.on('connect', onConnect);
  server.on('clientError', onParserError);

  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options.port, options.host, resolve);
  await listening;
  server.off('error', reject);
  // Such as a connection that can't be accepted, since too many files are open.
  server.on('error', warn);

  return {
    origin: originOf(server.address()),
    close: async () => {
      closing = true;
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      // Node counts a connection without any request as one with a request in flight.
      for (const socket of open) {
        if (!states.has(socket)) {
          socket.destroy();
        }
      }
      const timer = setTimeout(() => open.forEach((socket) => socket.destroy()), options.graceMilliseconds);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Runs `then` once all responses of a connection are written: now, or when the last of them is. */
function afterAnswers({ awaited }: ConnectionState, then: () => void): void {
  if (awaited === undefined || awaited.writableFinished) {
    then();
  } else {
    awaited.once('finish', then);
  }
}

/** Lets a connection go whose request can't be answered at all. */
function giveUp(socket: Duplex, error: unknown): void {
  warn(error);
  socket.destroy();
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

function ignore(): void {}

function originOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') {
    throw new TypeError('The server does not listen on a TCP port');
  }
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

function send(outgoing: ServerResponse, { status, headers, body }: ServiceResponse, close: boolean): void {
  // The service tells the time itself.
  outgoing.sendDate = false;
  outgoing.writeHead(status, close ? [...headers, 'Connection', 'close'] : headers);
  // Cheaper than UTF-8, and the same for ASCII.
  outgoing.end(body, 'latin1');
}
