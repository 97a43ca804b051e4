import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Duplex } from 'node:stream';

import { fieldsOf } from '../../../contract/field-names.ts';
import { LARGEST_HEADER_BYTES } from '../../target/index.ts';
import { forward, recordPassing, type PassingListener, type Upstream } from './forward.ts';

export interface ProxyOptions {
  /** The service; its path, if it has one, is part of what clients ask for. */
  readonly upstream: URL;
  /** Whether the Host field stays as the client sent it. */
  readonly keepHost: boolean;
  readonly insecure: boolean;
  /** PEM text of a certificate authority to trust beside the usual ones. */
  readonly certificateAuthority: string | null;
  readonly hostname: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Which exchanges are told of: for the target of each request that passes, whom to tell, or `null`. */
  readonly recorderFor: (target: string) => PassingListener | null;
  /** A connection is upgraded, and what passes then is not told of. @returns to be called when it ends */
  readonly onTunnel: () => () => void;
  /** The proxy itself refuses what cannot be passed on: it is no HTTP/1.1, or meant for a forward proxy. */
  readonly onRefused: () => void;
  readonly unanswered: Upstream['unanswered'];
}

/** A reverse proxy that changes nothing that it passes. @throws the error of the system if the port cannot be had */
export async function openProxy(options: ProxyOptions) {
  const { hostname, port, recorderFor, onRefused } = options;
  const upstream = upstreamOf(options);
  const tunnels = new Set<Duplex>();
  const pass = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      onRefused();
      response.writeHead(400, { Connection: 'close' }).end();
      return;
    }
    const listener = recorderFor(request.url ?? '/');
    forward(request, response, upstream, listener === null ? null : recordPassing(request, listener));
  };
  const server = http.createServer(
    // A proxy waits as long as its two sides do.
    {
      requestTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 65_000,
      joinDuplicateHeaders: false,
      // Node would refuse what lacks it unseen.
      requireHostHeader: false,
      maxHeaderSize: LARGEST_HEADER_BYTES,
      // Some clients offer HTTP/2 with their first request, and go on with HTTP/1.1 if that is not taken up.
      shouldUpgradeCallback: ({ headers }) => !/^\s*h2c?\s*$/i.test(headers.upgrade ?? ''),
    },
    pass,
  );
  // A client may end its half of the connection after its request; node has no type for it.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkContinue', pass);
  server.on('checkExpectation', pass);
  server.on('upgrade', (request, client: Duplex, head: Buffer) => {
    for (const socket of tunnel(request, client, head, options)) {
      tunnels.add(socket);
      socket.on('close', () => tunnels.delete(socket));
    }
  });
  server.on('connect', (_request, client: Duplex) => {
    // It is no forward proxy: a client that takes it for one has to be told.
    onRefused();
    client.end('HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    // Other errors are those of a client that has gone.
    if (code?.startsWith('HPE_') === true && code !== 'HPE_INVALID_EOF_STATE') {
      onRefused();
    }
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostname, () => resolve());
  });
  const bound: AddressInfo | string | null = server.address();
  const boundPort = bound === null || typeof bound === 'string' ? port : bound.port;
  return {
    /** Where clients reach it: `http://HOST:PORT` and the path of the upstream. */
    url: `http://${hostname}:${boundPort}${options.upstream.pathname.replace(/\/$/, '')}`,
    /** Ends all connections and frees the port. */
    close: async (): Promise<void> => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const socket of tunnels) {
        socket.destroy();
      }
      upstream.agent.destroy();
      await closed;
    },
  };
}

function upstreamOf({
  upstream,
  keepHost,
  insecure,
  certificateAuthority,
  unanswered,
}: ProxyOptions): Upstream {
  const { protocol, hostname, port, host } = upstream;
  const pool = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, scheduling: 'lifo' } as const;
  return {
    protocol,
    hostname: withoutBrackets(hostname),
    port,
    host: keepHost ? null : host,
    unanswered,
    agent:
      protocol === 'https:'
        ? new https.Agent({ ...pool, ...trust({ insecure, certificateAuthority }) })
        : new http.Agent(pool),
  };
}

function trust({ insecure, certificateAuthority }: Pick<ProxyOptions, 'insecure' | 'certificateAuthority'>): {
  rejectUnauthorized: boolean;
  ca?: string[];
} {
  return {
    rejectUnauthorized: !insecure,
    ...(certificateAuthority === null ? {} : { ca: [certificateAuthority] }),
  };
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Passes an upgraded connection on, byte by byte; nothing of it is judged. @returns its two ends */
function tunnel(
  request: http.IncomingMessage,
  client: Duplex,
  head: Buffer,
  options: ProxyOptions,
): readonly Duplex[] {
  const { protocol, hostname, port, host } = options.upstream;
  const where = { host: withoutBrackets(hostname), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  const upstream: Socket =
    protocol === 'https:'
      ? connectTls({ ...where, servername: where.host, ...trust(options) })
      : connectPlain(where);
  const ended = options.onTunnel();
  client.once('close', ended);
  for (const socket of [client, upstream]) {
    socket.on('close', () => {
      client.destroy();
      upstream.destroy();
    });
    socket.on('error', () => socket.destroy());
  }
  const fields = fieldsOf(request.rawHeaders).map(([name, value]) => {
    const isChanged = name.toLowerCase() === 'host' && !options.keepHost;
    return `${name}: ${isChanged ? host : value}`;
  });
  upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`, 'latin1');
  upstream.write(head);
  client.pipe(upstream);
  upstream.pipe(client);
  return [client, upstream];
}
