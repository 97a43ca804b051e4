import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import { listenForTest } from '../../../fixtures/loopback.test-data.ts';
import { openConnections, TransportError, type WireRequest } from './http-transport.ts';
import { nothingReused, provesSpoilt, type Reuse } from './reused-connections.ts';

const BEFORE = { words: 'PATCH with a body was answered 401', status: 401 };
const PATCH: WireRequest = { method: 'PATCH', path: '/v1/inventory/1', headers: [], body: '{}' };
const OWN = { request: PATCH, response: { status: 200, headers: [] } };
const QUIET = { requests: 100, recovered: 3 };

function provenAfter(times: number, reuse: Reuse, losses = QUIET): readonly boolean[] {
  return Array.from({ length: times }, () => provesSpoilt(reuse, BEFORE, OWN, losses));
}

test('what hangs three times on used connections is proven once, and then connections are not used again', () => {
  const reuse = nothingReused();
  expect(provenAfter(2, reuse)).toEqual([false, false]);
  expect(reuse.isAvoided).toBe(false);
  expect(provenAfter(2, reuse)).toEqual([true, false]);
  expect(reuse.isAvoided).toBe(true);
});

test('nothing is proven where another such request was answered', () => {
  expect(provenAfter(9, { ...nothingReused(), answered: new Set([BEFORE.words]) })).not.toContain(true);
});

test('nothing is proven in a network that loses other requests', () => {
  expect(provenAfter(5, nothingReused(), { requests: 100, recovered: 40 })).not.toContain(true);
});

/** A pool of connections to a server that answers the first request of each with 401, and then with `later` or nothing. */
async function connectToOneAnswer(
  size: number,
  reuse: Reuse,
  later?: number,
  headers?: Record<string, string>,
) {
  const served = new WeakSet<object>();
  const server = createServer(({ socket }, response) => {
    if (!served.has(socket)) {
      served.add(socket);
      response.writeHead(401, { 'X-RateLimit-Limit': '60' }).end();
    } else if (later !== undefined) {
      response.writeHead(later, headers).end();
    }
  });
  onTestFinished(() => server.closeAllConnections());
  const origin = `http://127.0.0.1:${await listenForTest(server)}`;
  const timeoutMilliseconds = later === undefined ? 1_000 : 30_000;
  const options = { timeoutMilliseconds, insecure: false, certificateAuthority: null };
  const pool = openConnections(origin, size, options, reuse);
  onTestFinished(() => pool.destroy());
  return pool;
}

test('a request that hangs tells what was answered on its connection before', async () => {
  const pool = await connectToOneAnswer(1, nothingReused());
  await pool.send(PATCH);
  const failure: unknown = await pool.send(PATCH).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TransportError);
  expect(failure).toHaveProperty('before', expect.objectContaining(BEFORE));
  expect((await pool.send(PATCH)).status).toBe(401);
});

test('where each request has a connection of its own none hangs', async () => {
  const pool = await connectToOneAnswer(1, { ...nothingReused(), isAvoided: true });
  for (let sent = 0; sent < 3; sent += 1) {
    expect((await pool.send(PATCH)).status).toBe(401);
  }
});

test('each of several connections tells what was answered on it, and none is told of a new one', async () => {
  const pool = await connectToOneAnswer(2, nothingReused());
  await Promise.all([pool.send(PATCH), pool.send(PATCH)]);
  const failures = await Promise.allSettled([pool.send(PATCH), pool.send(PATCH)]);
  const reasons: unknown[] = failures.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const told = expect.objectContaining({ before: expect.objectContaining(BEFORE) });
  expect(reasons).toEqual([told, told]);
  expect((await pool.send({ ...PATCH, isApart: true })).status).toBe(401);
});

describe('an answer on a connection that was used before', () => {
  test.each([400, 405, 501])(
    'is taken for a stray one if it is %i, and the connection is given up',
    async (status) => {
      const pool = await connectToOneAnswer(1, nothingReused(), status);
      const documented = { ...PATCH, isDocumented: true };
      await pool.send(documented);
      await expect(pool.send(documented)).rejects.toMatchObject({ before: { ...BEFORE, stray: status } });
      expect((await pool.send(documented)).status).toBe(401);
    },
  );

  test('is none to the request if it is 408 and closes the connection', async () => {
    const pool = await connectToOneAnswer(1, nothingReused(), 408, { Connection: 'Close' });
    await pool.send(PATCH);
    await expect(pool.send(PATCH)).rejects.toMatchObject({ code: 'IDLE_TIMEOUT' });
    expect((await pool.send(PATCH)).status).toBe(401);
  });

  test('is taken for its own if it is 408 and keeps the connection', async () => {
    const pool = await connectToOneAnswer(1, nothingReused(), 408);
    await pool.send(PATCH);
    expect((await pool.send(PATCH)).status).toBe(408);
  });

  test.each([
    ['the request is not documented', {}, nothingReused()],
    [
      'another one was answered there',
      { isDocumented: true },
      { ...nothingReused(), answered: new Set([BEFORE.words]) },
    ],
  ])('is taken for its own if %s', async (_why, changed, reuse) => {
    const pool = await connectToOneAnswer(1, reuse, 400);
    await pool.send({ ...PATCH, ...changed });
    expect((await pool.send({ ...PATCH, ...changed })).status).toBe(400);
  });
});

test.each([
  [200, [BEFORE.words]],
  [429, []],
])('an answer %i on a used connection shows what can be answered there: %j', async (status, shown) => {
  const reuse = nothingReused();
  const pool = await connectToOneAnswer(1, reuse, status);
  await pool.send(PATCH);
  await pool.send(PATCH);
  expect([...reuse.answered]).toEqual(shown);
});

function refusedWith(headers: readonly HeaderField[]) {
  return { request: PATCH, response: { status: 400, headers } };
}

test('a stray answer that comes on a new connection, too, is the answer', () => {
  const before = { ...BEFORE, stray: 400 };
  const reuse = nothingReused();
  expect(provesSpoilt(reuse, before, refusedWith([]), QUIET)).toBe(false);
  const own = refusedWith([['X-RateLimit-Limit', '60']]);
  const prove = (one: Reuse) => Array.from({ length: 4 }, () => provesSpoilt(one, before, own, QUIET));
  expect(prove(reuse)).not.toContain(true);
  expect(prove(nothingReused())).toContain(true);
});
