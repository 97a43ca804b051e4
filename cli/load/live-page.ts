import { createServer, type ServerResponse } from 'node:http';

import { parametersLine, type LoadRunListener } from '../../load/index.ts';
import { foreignness } from '../../reference-server/index.ts';
import { LIVE_SECONDS, renderLivePage, type LiveEvent } from '../../reports/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';

export interface LivePage {
  readonly url: string;
  readonly listener: LoadRunListener;
  /** Ends the streams of all viewers, and frees the port. */
  readonly close: () => Promise<void>;
}

// What is kept for those who come later: the seconds of a page, and the few lines between them.
const MOST_KEPT = LIVE_SECONDS + 200;

/**
 * Serves a page on this machine alone that follows a load as it runs (Server-Sent Events).
 * @param port 0 for any that is free
 * @throws {ConfigurationError} if the port cannot be listened on
 */
export async function openLivePage(port: number, target: string): Promise<LivePage> {
  const page = renderLivePage(target);
  const streams = new Set<ServerResponse>();
  let past: LiveEvent[] = [];

  const tell = (event: LiveEvent): void => {
    past = [...(event.kind === 'scenario' ? past.filter(({ kind }) => kind === 'done') : past), event].slice(
      -MOST_KEPT,
    );
    streams.forEach((stream) => stream.write(toMessage(event)));
  };

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
    reject(new ConfigurationError(`--live ${port} cannot be listened on: ${error.message}`)),
  );
  server.listen(port, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  const chosen = typeof address === 'object' && address !== null ? address.port : port;

  return {
    url: `http://127.0.0.1:${chosen}/`,
    listener: {
      onNotice: () => {},
      onScenarioStart: ({ scenario, parameters }) =>
        tell({
          kind: 'scenario',
          id: scenario.id,
          title: scenario.title,
          parameters: parametersLine(scenario, parameters),
        }),
      onPhase: (text) => tell({ kind: 'phase', text }),
      onSecond: ({ scheduled, answered, lost, p50, p99, statuses }) =>
        tell({ kind: 'second', scheduled, answered, lost, p50, p99, statuses }),
      onScenarioEnd: ({ id, outcome }) => tell({ kind: 'done', id, outcome }),
    },
    close: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      streams.forEach((stream) => stream.end());
      server.closeAllConnections();
      await promise;
    },
  };
}

function toMessage(event: LiveEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** A listener that passes everything on to both. */
export function both(first: LoadRunListener, second: LoadRunListener): LoadRunListener {
  return {
    onNotice: inTurn(first.onNotice, second.onNotice),
    onScenarioStart: inTurn(first.onScenarioStart, second.onScenarioStart),
    onPhase: inTurn(first.onPhase, second.onPhase),
    onSecond: inTurn(first.onSecond, second.onSecond),
    onScenarioEnd: inTurn(first.onScenarioEnd, second.onScenarioEnd),
  };
}

function inTurn<Told extends readonly unknown[]>(
  ...listeners: readonly ((...told: Told) => void)[]
): (...told: Told) => void {
  return (...told) => listeners.forEach((listener) => listener(...told));
}
