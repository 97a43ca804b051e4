import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

import { expect, onTestFinished, test, vi } from 'vitest';

import type { Alteration } from '../alterations/alteration.ts';
import { changeResponses } from '../alterations/responses.ts';
import { spellResponses } from '../alterations/spellings.ts';
import type { ServiceRequest } from '../service/messages.ts';
import { startReferenceServer } from '../start.ts';
import {
  exchangeText,
  FREE_KEY,
  fieldOf,
  ITEMS,
  member,
  order,
  rateLimit,
  readResponses,
  sendRaw,
  startForTest,
} from '../testing.test-data.ts';

const AUTHORIZED = `Host: test\r\nAuthorization: Bearer ${FREE_KEY}\r\n`;
const LIST = `GET /v1/inventory HTTP/1.1\r\n${AUTHORIZED}\r\n`;
const PATCH = `PATCH /v1/inventory/1 HTTP/1.1\r\n${AUTHORIZED}`;

/** Lets requests wait until they are released. */
function holding(isHeld: (request: ServiceRequest) => boolean = () => true) {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const hold: Alteration = {
    service: (core) => ({
      ...core,
      respond: async (request) => {
        if (isHeld(request)) {
          arrived.resolve();
          await released.promise;
        }
        return core.respond(request);
      },
    }),
  };
  return { alterations: [hold], arrived: arrived.promise, release: released.resolve };
}

test.each([
  ['garbage', 'garbage\r\n\r\n', 400],
  ['bad chunk size', `${PATCH}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`, 400],
  ['header section of 40 KB', `GET /v1/inventory HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  ['CONNECT', `CONNECT /v1/inventory HTTP/1.1\r\n${AUTHORIZED}\r\n`, 405],
  ['unknown method', `BREW /v1/inventory HTTP/1.1\r\n${AUTHORIZED}\r\n`, 405],
  ['unknown method, unknown route', `BREW /v1/pot HTTP/1.1\r\n${AUTHORIZED}\r\n`, 404],
])('%s is answered with an Error body and a closed connection', async (_name, text, status) => {
  const { url } = await startForTest();
  const [response, ...others] = readResponses(await exchangeText(url, text));
  expect(response?.status).toBe(status);
  expect(member(response?.body, 'status')).toBe(status);
  expect(fieldOf(response ?? { headers: [] }, 'Connection')).toBe('close');
  expect(fieldOf(response ?? { headers: [] }, 'Allow')).toBe(status === 405 ? 'GET' : undefined);
  rateLimit(response ?? { headers: [] });
  expect(others).toEqual([]);
  expect((await sendRaw(`${url}/inventory`)).body).toHaveLength(ITEMS.length);
});

test('no connection is answered before it has sent a request, however long that takes', async () => {
  const { url } = await startForTest();
  const servers: unknown[] = [];
  const note = (message: unknown): unknown => servers.push(Object(message).server);
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  await sendRaw(`${url}/inventory`);
  expect(servers).toEqual([expect.objectContaining({ headersTimeout: 0, requestTimeout: 0 })]);
});

test.each(['url', 'controlUrl'] as const)('a CONNECT and a reset end nothing: %s', async (port) => {
  const server = await startForTest();
  const { hostname, port: number } = new URL(server[port]);
  for (let time = 0; time < 5; time += 1) {
    const socket = connect({ host: hostname, port: Number(number) });
    socket.write('CONNECT other.example:443 HTTP/1.1\r\nHost: test\r\n\r\n', () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  expect((await sendRaw(`${server.url}/inventory`)).status).toBe(200);
  expect((await order(server, 'GET /')).status).toBe(200);
});

test('closing does not wait for a CONNECT that is never answered', async () => {
  const { alterations, arrived } = holding();
  const server = await startReferenceServer({ graceMilliseconds: 1, alterations });
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write('CONNECT other.example:443 HTTP/1.1\r\nHost: test\r\n\r\n');
  await arrived;
  await Promise.all([server.close(), once(socket, 'close')]);
  expect(socket.destroyed).toBe(true);
});

test('a request whose body turns out malformed after its answer gets no second one', async () => {
  const { url } = await startForTest();
  const head = 'PATCH /v1/inventory/1 HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n';
  const text = await exchangeText(url, head, 'xyz\r\n');
  expect(readResponses(text).map(({ status }) => status)).toEqual([401]);
});

test.each([
  ['list', LIST],
  ['update', `${PATCH}Content-Length: 14\r\n\r\n{"quantity":5}`],
  ['two requests', `${LIST}${LIST}`],
])(
  'a client that closes its half after its request is answered late all the same: %s',
  async (_name, text) => {
    const { alterations, release } = holding(({ connection }) => connection.id === 1);
    const { url } = await startForTest({ alterations });
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.end(text);
    await once(socket, 'finish');
    // Two later exchanges show that the server has seen the end.
    await sendRaw(`${url}/inventory`);
    await sendRaw(`${url}/inventory`);
    release();
    let received = '';
    for await (const chunk of socket) {
      received += String(chunk);
    }
    const requests = text.split(' HTTP/1.1').length - 1;
    expect(readResponses(received).map(({ status }) => status)).toEqual(Array(requests).fill(200));
  },
);

test.each([
  ['closes its connection', (socket: Socket) => socket.destroy(), ['lost']],
  ['resets its connection', (socket: Socket) => socket.resetAndDestroy(), ['lost']],
  ['closes its half', (socket: Socket) => socket.end(), []],
])('a response that is lost is told, when a client %s before', async (_what, leave, told) => {
  const { alterations, arrived, release } = holding(({ connection }) => connection.id === 1);
  const lost: string[] = [];
  const telling = changeResponses((response) => ({ ...response, onLost: () => lost.push('lost') }));
  const { url } = await startForTest({ alterations: [...alterations, telling] });
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.write(LIST);
  await arrived;
  leave(socket);
  // Two later exchanges show that the server has seen the end.
  await sendRaw(`${url}/inventory`);
  await sendRaw(`${url}/inventory`);
  release();
  socket.resume();
  if (!socket.closed) {
    await once(socket, 'close');
  }
  await sendRaw(`${url}/inventory`);
  expect(lost).toEqual(told);
});

test('closing lets a request in flight finish, and frees the ports', async () => {
  const { alterations, arrived, release } = holding();
  const server = await startReferenceServer({ keys: [{ key: FREE_KEY, plan: 'free' }], alterations });
  const inFlight = sendRaw(`${server.url}/inventory`);
  await arrived;
  const closed = server.close();
  await expect(fetch(`${server.url}/inventory`)).rejects.toThrow('fetch failed');
  release();
  const received = await inFlight;
  expect(received.status).toBe(200);
  expect(fieldOf(received, 'Connection')).toBe('close');
  await closed;

  const taker = createServer().listen(Number(new URL(server.url).port), '127.0.0.1');
  await once(taker, 'listening');
  taker.close();
});

test('closing does not wait for connections without a request', async () => {
  const server = await startReferenceServer({ graceMilliseconds: 2 ** 31 - 1 });
  await fetch(`${server.url}/inventory`);
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  // A later connection that is served shows that the server has taken the silent one.
  await exchangeText(server.url, 'GET / HTTP/1.0\r\n\r\n');
  socket.resume();
  await Promise.all([server.close(), once(socket, 'close')]);
  expect(socket.destroyed).toBe(true);
});

test('closing does not wait forever', async () => {
  const { alterations, arrived } = holding();
  const server = await startReferenceServer({ graceMilliseconds: 1, alterations });
  const inFlight = fetch(`${server.url}/inventory`).catch((error: unknown) => error);
  await arrived;
  await server.close();
  expect(await inFlight).toBeInstanceOf(TypeError);
});

test.each(['in-chunks', 'chunk-extensions-and-trailer', 'early-hints', 'informational-responses'] as const)(
  'HTTP/1.0 is answered without what it does not know: %s',
  async (spelling) => {
    const { url } = await startForTest({ alterations: [spellResponses(spelling)] });
    const [old, present] = ['HTTP/1.0', 'HTTP/1.1'].map((version) =>
      exchangeText(url, `GET /v1/inventory ${version}\r\nConnection: close\r\n${AUTHORIZED}\r\n`),
    );
    expect(await old).toMatch(/^HTTP\/1.1 200 (?:(?!transfer-encoding)[^])*$/i);
    expect(await present).toMatch(/^HTTP\/1.1 10|\ntransfer-encoding: chunked/i);
  },
);

test('a part that throws is answered 500 with an Error body', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): number => warnings.push(message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { url } = await startForTest({
    alterations: [
      {
        parts: () => ({
          route: () => {
            throw new Error('a part that throws');
          },
        }),
      },
    ],
  });
  const received = await sendRaw(`${url}/inventory`);
  expect(received.status).toBe(500);
  expect(member(received.body, 'status')).toBe(500);
  rateLimit(received);
  await vi.waitFor(() => expect(warnings).toContain('a part that throws'));
});

test('a port in use is an error', async () => {
  const { url, controlUrl } = await startForTest();
  const used = [Number(new URL(url).port), Number(new URL(controlUrl).port)];
  await expect(startReferenceServer({ port: used[0] ?? 0 })).rejects.toThrow('EADDRINUSE');
  await expect(startReferenceServer({ controlPort: used[1] ?? 0 })).rejects.toThrow('EADDRINUSE');
});
