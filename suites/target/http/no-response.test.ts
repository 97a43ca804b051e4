import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';

import { openConnections } from './http-transport.ts';
import { trackLiveness } from './liveness.ts';
import { describeLosses, NoResponse } from './no-response.ts';
import { listInventory, updateWithBody } from './operations.ts';
import { performExchange } from './perform-exchange.ts';
import { addressOf, createTargetClient, type TargetClient } from './target-client.ts';

const TRANSPORT = { timeoutMilliseconds: 5_000, insecure: false, certificateAuthority: null };
const NOBODY = { authorization: [], labels: [] };
const NULL_BODY = updateWithBody(7n, 'null');

interface Scene {
  readonly client: TargetClient;
  readonly server: Server;
  readonly send: (message: typeof NULL_BODY) => ReturnType<typeof performExchange>;
}

/** A server on a free port, and what sends to it. */
async function startScene(
  listener: (server: Server) => RequestListener,
  { port = 0, isTracked = false } = {},
): Promise<Scene> {
  const server = createServer();
  server.on('request', listener(server));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  const origin = `http://127.0.0.1:${portOf(server)}`;
  const liveness = trackLiveness({ transport: TRANSPORT, spend: () => {}, end: () => {}, issueKey: null });
  const client = createTargetClient(addressOf(origin), isTracked ? { liveness } : {});
  const pool = openConnections(origin, 4, TRANSPORT);
  onTestFinished(async () => {
    await pool.destroy();
    end(server);
  });
  return { client, server, send: (message) => performExchange(client, pool, message, NOBODY) };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}

async function failureOf(exchange: Promise<unknown>): Promise<NoResponse> {
  const error: unknown = await exchange.catch((reason: unknown) => reason);
  if (error instanceof NoResponse) {
    return error;
  }
  throw new Error(`There was a response, or another error: ${String(error)}`);
}

test('a connection that is closed each time is no answer, and names the body', async () => {
  const { send } = await startScene(
    () =>
      ({ socket }) =>
        socket.destroy(),
  );
  const error = await failureOf(send(NULL_BODY));
  expect(error).toMatchObject({ ending: 'closed', wasAlone: true, sent: NULL_BODY });
  expect(error.message).toContain(
    'PATCH /inventory/7 with the body null got no complete HTTP response in 3 tries',
  );
});

test('a server that ends with a request is gone, and later requests say since when', async () => {
  const { send, client } = await startScene((server) => () => end(server));
  expect(await failureOf(send(NULL_BODY))).toMatchObject({ ending: 'gone', wasAlone: true });
  expect(client.losses.goneAfter).toBe('PATCH /inventory/7 with the body null');
  const later = await failureOf(send(listInventory()));
  expect(later.ending).toBe('refused');
  expect(later.message).toContain('Nothing was answered since PATCH /inventory/7 with the body null.');
});

test('a server that is started again meanwhile is asked again', async () => {
  const { send } = await startScene((server) => () => {
    const port = portOf(server);
    end(server);
    setTimeout(() => void startScene(emptyLists, { port }), 100);
  });
  expect(await send(NULL_BODY)).toMatchObject({ response: { status: 200 }, lostResponses: 2 });
});

const emptyLists = (): RequestListener => (_request, response) => response.end('[]');

test('a service that refused connections and is back may have forgotten what it held in memory', async () => {
  const { client, server } = await startScene(emptyLists);
  const port = portOf(server);
  const told: string[] = [];
  const history: TargetClient['history'] = {
    ...client.history,
    tell: (event) => {
      told.push(event.type);
      return [];
    },
  };
  const send = async (): Promise<void> => {
    const pool = openConnections(client.origin, 1, TRANSPORT);
    try {
      await performExchange({ ...client, history }, pool, listInventory(), NOBODY);
    } finally {
      await pool.destroy();
    }
  };
  await send();
  end(server);
  await failureOf(send());
  expect(told).not.toContain('gap');
  expect(describeLosses(client.losses, true)).toEqual([]);
  await startScene(emptyLists, { port });
  await send();
  expect(told.slice(-2)).toEqual(['gap', 'response-received']);
  expect(describeLosses(client.losses, true)[0]).toMatch(/^The target was away once and came back/);
  expect(describeLosses(client.losses, false)).toEqual([]);
  await send();
  expect(told.filter((type) => type === 'gap')).toHaveLength(1);
});

test('an interruption in which other requests fail alike is outlasted', async () => {
  let requests = 0;
  const { send } = await startScene(
    () =>
      ({ socket }, response) => {
        requests += 1;
        // Two tries, and what is asked between them and the third.
        if (requests > 1 && requests <= 5) {
          socket.destroy();
        } else {
          response.end('[]');
        }
      },
    { isTracked: true },
  );
  await send(listInventory());
  expect(await send(NULL_BODY)).toMatchObject({ response: { status: 200 }, lostResponses: 2 });
});

test('a target that is back is not gone any more', async () => {
  const { send, client, server } = await startScene(emptyLists);
  const port = portOf(server);
  end(server);
  expect(await failureOf(send(listInventory()))).toMatchObject({ ending: 'refused' });
  client.losses.goneAfter = 'GET /inventory';
  await startScene(emptyLists, { port });
  await send(listInventory());
  expect(client.losses.goneAfter).toBeNull();
});

/** Answers as a gateway whose service is away if that is so of the request of that number, else a list. */
function behindGateway(isAway: (number: number) => boolean, body = '<h1>503</h1>'): () => RequestListener {
  let number = 0;
  return () => (_request, response) => {
    number += 1;
    response.statusCode = isAway(number) ? 503 : 200;
    response.end(isAway(number) ? body : '[]');
  };
}

test('a page of a gateway is no answer if one comes when it is asked again', async () => {
  const { send, client } = await startScene(behindGateway((number) => number === 1));
  expect(await send(NULL_BODY)).toMatchObject({ response: { status: 200 }, lostResponses: 1 });
  expect(client.losses).toMatchObject({ ofGateway: 1, isGatewayJudged: false });
});

test('a page of a gateway that comes each time is an answer, and so is the next one', async () => {
  const { send } = await startScene(behindGateway(() => true));
  expect(await send(NULL_BODY)).toMatchObject({ response: { status: 503 }, lostResponses: 2 });
  expect(await send(NULL_BODY)).toMatchObject({ response: { status: 503 }, lostResponses: 0 });
});

test('a page that a gateway always gives to a form which may be refused does not show that the service was away', async () => {
  const { send, client } = await startScene(behindGateway((number) => number <= 3));
  expect(await send({ ...NULL_BODY, operation: null })).toMatchObject({ response: { status: 503 } });
  expect(client.losses).toMatchObject({ ofGateway: 0, recovered: 0, isGatewayJudged: false, wasAway: false });
});

test('a JSON object is an answer of the service', async () => {
  const { send } = await startScene(behindGateway(() => true, '{"code":"busy"}'));
  expect(await send(NULL_BODY)).toMatchObject({ response: { status: 503 }, lostResponses: 0 });
});

test('a service that is away behind its gateway is waited for', async () => {
  let awayUntil = 0;
  const { send, client } = await startScene(
    behindGateway((number) => {
      awayUntil = number === 2 ? performance.now() + 600 : awayUntil;
      return number > 1 && performance.now() < awayUntil;
    }),
    { isTracked: true },
  );
  await send(listInventory());
  expect(await send(NULL_BODY)).toMatchObject({ response: { status: 200 }, lostResponses: 2 });
  expect(client.losses).toMatchObject({ ofGateway: 2, isGatewayJudged: false });
});
