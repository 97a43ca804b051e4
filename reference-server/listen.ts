import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { hasContent, readIncomingBody, type IncomingBody } from './body-reader.ts';
import { refusalOfHead, refusalOfParserError, type ParserError } from './malformed.ts';
import type {
  BodyReading,
  Connection,
  MessageRefusal,
  Service,
  ServiceRequest,
  ServiceResponse,
} from './messages.ts';
import type { Router } from './router.ts';
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

interface ConnectionState {
  readonly connection: Connection;
  /** The newest request on the connection where it has content; others are let go, which spares the collector. */
  incoming: IncomingMessage | undefined;
  body: IncomingBody | undefined;
  /** Responses that the service has not given yet. */
  pending: number;
  /** Whether the parser has given up: no further request can come. */
  failed: boolean;
  /** To be sent when nothing is pending any more. */
  lastWords: ServiceResponse | undefined;
}

/** Serves a service by HTTP/1.1; the one place that knows sockets. */
export async function listen(service: Service, options: ListenOptions): Promise<Listener> {
  const states = new WeakMap<Duplex, ConnectionState>();
  const silent = new Set<Duplex>();
  let connections = 0;
  let closing = false;

  function stateOf(socket: Duplex): ConnectionState {
    let state = states.get(socket);
    if (state === undefined) {
      connections += 1;
      const connection = {
        id: connections,
        remoteAddress: (socket instanceof Socket ? socket.remoteAddress : undefined) ?? '',
      };
      state = {
        connection,
        incoming: undefined,
        body: undefined,
        pending: 0,
        failed: false,
        lastWords: undefined,
      };
      states.set(socket, state);
      silent.delete(socket);
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
    process.emitWarning(error instanceof Error ? error : String(error));
    return service.refuse({ status: 500, code: 'internal_error', message: 'The service has failed.' });
  }

  async function sendLater(
    socket: Duplex,
    state: ConnectionState,
    outgoing: ServerResponse,
    response: Promise<ServiceResponse>,
  ): Promise<void> {
    state.pending += 1;
    const settled = await response;
    state.pending -= 1;
    const lastWords = state.pending === 0 ? state.lastWords : undefined;
    send(outgoing, settled, closing || (state.failed && state.lastWords === undefined));
    if (lastWords !== undefined) {
      writeRawResponse(socket, lastWords);
    }
  }

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const state = stateOf(socket);
    state.incoming = hasContent(incoming) ? incoming : undefined;
    state.body = undefined;
    const refusal = refusalOfHead(incoming);
    if (refusal !== undefined) {
      send(outgoing, service.refuse(refusal), true);
      return;
    }
    const response = respond(incoming, state);
    if (response instanceof Promise) {
      void sendLater(socket, state, outgoing, response);
    } else {
      send(outgoing, response, closing);
    }
  }

  function refuseMessage(socket: Duplex, state: ConnectionState, refusal: MessageRefusal): void {
    if (state.pending > 0) {
      state.lastWords = service.refuse(refusal);
    } else {
      writeRawResponse(socket, service.refuse(refusal));
    }
  }

  function onParserError(error: Error & ParserError, socket: Duplex): void {
    const state = stateOf(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (!state.failed) {
      state.failed = true;
      if (state.incoming === undefined || state.incoming.complete) {
        refuseMessage(socket, state, refusalOfParserError(error, options.route));
      } else if (state.pending > 0) {
        // The error lies in the body that is being read: its own response tells of it.
        state.body?.abandon();
      } else {
        closeGently(socket);
      }
    }
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
  server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('checkExpectation', onRequest);
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    const state = stateOf(socket);
    void Promise.resolve(respond(incoming, state)).then((response) => writeRawResponse(socket, response));
  });
  server.on('clientError', onParserError);

  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options.port, options.host, resolve);
  await listening;
  server.off('error', reject);

  return {
    origin: originOf(server.address()),
    close: async () => {
      closing = true;
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      // Node counts a connection without any request as one with a request in flight.
      for (const socket of silent) {
        socket.destroy();
      }
      const timer = setTimeout(() => server.closeAllConnections(), options.graceMilliseconds);
      await closed;
      clearTimeout(timer);
    },
  };
}

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
