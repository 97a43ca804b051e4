import { createServer, type ServerResponse } from 'node:http';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { foreignness } from '../../../reference-server/index.ts';
import { listenProblem } from '../listen-problem.ts';

/** A page on this machine alone that follows a process as it runs (Server-Sent Events). */
export interface LiveServer<Event> {
  readonly url: string;
  readonly tell: (event: Event) => void;
  /** Ends the streams of all viewers, and frees the port. */
  readonly close: () => Promise<void>;
}

interface LiveServerOptions<Event> {
  /** 0 for any that is free. */
  readonly port: number;
  /** The text of the page; it reads `events` next to its own address. */
  readonly page: string;
  /** What of the past events is kept for those who come later, now that there is another. */
  readonly keep: (past: readonly Event[], event: Event) => readonly Event[];
}

const HOST = '127.0.0.1';

/** @throws {ConfigurationError} if the port cannot be listened on */
export async function openLiveServer<Event>({
  port,
  page,
  keep,
}: LiveServerOptions<Event>): Promise<LiveServer<Event>> {
  const streams = new Set<ServerResponse>();
  let past: readonly Event[] = [];

  const server = createServer((request, response) => {
    const { host, origin, 'sec-fetch-site': fetchSite } = request.headers;
    const foreign = foreignness({
      authority: host,
      origin,
      fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
    });
    if (foreign !== undefined) {
      response.writeHead(foreign === 'host' ? 421 : 403).end();
    } else if (request.url === '/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write(past.map(toMessage).join('') || ': nothing yet\n\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
    } else if (request.url === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
    } else {
      response.writeHead(404).end();
    }
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error) =>
    reject(
      new ConfigurationError(
        listenProblem(error, { option: '--live', port, host: HOST }) ??
          `--live ${port} cannot be listened on: ${error.message}`,
      ),
    ),
  );
  server.listen(port, HOST, resolve);
  await listening;
  const address = server.address();
  const chosen = typeof address === 'object' && address !== null ? address.port : port;

  return {
    url: `http://${HOST}:${chosen}/`,
    tell: (event) => {
      past = [...keep(past, event), event];
      streams.forEach((stream) => stream.write(toMessage(event)));
    },
    close: async () => {
      const { promise: closed, resolve: end } = Promise.withResolvers<void>();
      server.close(() => end());
      streams.forEach((stream) => stream.end());
      server.closeAllConnections();
      await closed;
    },
  };
}

function toMessage(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
