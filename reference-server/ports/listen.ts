import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import type { Service } from '../service/messages.ts';
import { createConnections } from './connections.ts';
import { answerConnect, answerParserError, answerRequest, warnOperator, type Edge } from './exchanges.ts';

export interface ListenOptions extends Pick<Edge, 'maximumBodyBytes' | 'route'> {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** How long `close` waits for responses that are on their way. */
  readonly graceMilliseconds: number;
  /** After this time without a request a connection is closed. */
  readonly keepAliveMilliseconds: number;
}

export type Listener = Awaited<ReturnType<typeof listen>>;

/**
 * Serves a service by HTTP/1.1.
 * @throws if it cannot listen on the port
 */
export async function listen(service: Service, options: ListenOptions) {
  const { maximumBodyBytes, route, graceMilliseconds } = options;
  const connections = createConnections();
  const open = new Set<Socket>();
  let closing = false;
  const server = createHttpServer(
    { service, maximumBodyBytes, route, connections, isClosing: () => closing },
    options.keepAliveMilliseconds,
  );
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // After `connect` node listens for nothing any more, and an error without a listener would end the process.
    socket.on('error', ignore);
  });
  await bind(server, options);
  return {
    /** `http://HOST:PORT` */
    origin: originOf(server.address()),
    /** Takes no more connections, lets requests in flight finish, and frees the port. */
    close: async (): Promise<void> => {
      closing = true;
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      // Node counts a connection without any request as one with a request in flight.
      for (const socket of open) {
        if (!connections.has(socket)) {
          socket.destroy();
        }
      }
      const timer = setTimeout(() => open.forEach((socket) => socket.destroy()), graceMilliseconds);
      await closed;
      clearTimeout(timer);
    },
  };
}

function createHttpServer(edge: Edge, keepAliveMilliseconds: number): Server {
  const server = createServer(
    {
      keepAliveTimeout: keepAliveMilliseconds,
      // Node would add a second, after which a client that waited so long may be sending again.
      keepAliveTimeoutBuffer: 0,
      // Node would answer 408 to a connection that a client keeps for later.
      headersTimeout: 0,
      requestTimeout: 0,
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    (incoming, outgoing) => answerRequest(edge, incoming, outgoing),
  );
  // A client may close its half of the connection after its request, and is answered all the same; node has no type for it.
  Object.assign(server, { httpAllowHalfOpen: true });
  // The size of the header section is bounded; a bound on the number of fields would drop some silently.
  server.maxHeadersCount = 0;
  server.on('checkExpectation', (incoming, outgoing) => answerRequest(edge, incoming, outgoing));
  server.on('connect', (incoming, socket) => answerConnect(edge, incoming, socket));
  server.on('clientError', (error, socket) => answerParserError(edge, error, socket));
  return server;
}

async function bind(server: Server, { port, host }: ListenOptions): Promise<void> {
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, host, resolve);
  await listening;
  server.off('error', reject);
  // Such as a connection that cannot be accepted because too many files are open.
  server.on('error', warnOperator);
}

function ignore(): void {}

function originOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') {
    throw new TypeError('The server does not listen on a TCP port');
  }
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
