import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';

import { listenForTest } from '../../../fixtures/loopback.test-data.ts';
import { openConnections, TransportError, type WireRequest } from './http-transport.ts';
import { nothingReused, provesHanging, type Reuse } from './reused-connections.ts';

const BEFORE = { words: 'PATCH with a body was answered 401', status: 401 };
const QUIET = { requests: 100, recovered: 3 };

function provenAfter(times: number, reuse: Reuse, losses = QUIET): readonly boolean[] {
  return Array.from({ length: times }, () => provesHanging(reuse, BEFORE, losses));
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

const PATCH: WireRequest = { method: 'PATCH', path: '/v1/inventory/1', headers: [], body: '{}' };

/** A pool of connections to a server that answers the first request of each connection, and nothing after it. */
async function connectToOneAnswer(size: number, reuse: Reuse) {
  const served = new WeakSet<object>();
  const server = createServer(({ socket }, response) => {
    if (!served.has(socket)) {
      served.add(socket);
      response.writeHead(401).end();
    }
  });
  onTestFinished(() => server.closeAllConnections());
  const origin = `http://127.0.0.1:${await listenForTest(server)}`;
  const options = { timeoutMilliseconds: 1_000, insecure: false, certificateAuthority: null };
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

test('of several connections nobody says which was used before', async () => {
  const pool = await connectToOneAnswer(2, nothingReused());
  await pool.send(PATCH);
  const failures = await Promise.allSettled([pool.send(PATCH), pool.send(PATCH), pool.send(PATCH)]);
  const reasons: unknown[] = failures.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(reasons).not.toEqual([]);
  expect(reasons).toEqual(reasons.map(() => expect.objectContaining({ before: null })));
});
