import { once } from 'node:events';
import { connect } from 'node:net';

import { describe, expect, test } from 'vitest';

import { parseRetryAfter } from '../contract/retry-after.ts';
import type { RunningServer } from './start.ts';
import {
  advance,
  exchangeText,
  FREE_KEY,
  fieldOf,
  issueKey,
  member,
  OTHER_FREE_KEY,
  rateLimit,
  readNow,
  readResponses,
  sendRaw,
  startForTest,
  type Received,
} from './testing.test-data.ts';

/** Sends so many requests for the list, all at once. */
async function useUp({ url }: RunningServer, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => sendRaw(`${url}/inventory`)));
}

function retryAfter(received: Received): number {
  const reading = parseRetryAfter(fieldOf(received, 'Retry-After') ?? '');
  return reading?.form === 'delta-seconds' ? reading.seconds : Number.NaN;
}

describe('the minute', () => {
  test('counts every operation, spelling and connection, and refusals of the operation', async () => {
    const { url } = await startForTest();
    const targets = [
      ['GET', '/inventory', 200],
      ['GET', '/inventory/?x=1', 200],
      ['PATCH', '/inventory/1', 400],
      ['PATCH', '/inventory/404', 404],
      ['GET', '/pets/1/', 200],
      ['GET', '/store/orders?', 200],
      ['GET', '/nowhere', 404],
      ['OPTIONS', '/inventory', 405],
    ] as const;
    for (let index = 0; index < 60; index += 1) {
      const [method, path, status] = targets[index % targets.length] ?? targets[0];
      const received = await sendRaw(`${url}${path}`, { method });
      expect(received.status).toBe(status);
      expect(rateLimit(received)).toMatchObject({ limit: 60, remaining: 59 - index });
    }
    for (const [method, path] of targets) {
      expect((await sendRaw(`${url}${path}`, { method })).status).toBe(429);
    }
    expect((await sendRaw(`${url}/inventory`, { key: OTHER_FREE_KEY })).status).toBe(200);
    expect((await sendRaw(`${url}/inventory`, { key: 'unknown' })).status).toBe(401);
  });

  test('requests in one pipeline are counted one by one', async () => {
    const { url } = await startForTest();
    const head = `GET /v1/pets/1 HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${FREE_KEY}\r\n`;
    const text = await exchangeText(url, `${head}\r\n`.repeat(64), `${head}Connection: close\r\n\r\n`);
    const statuses = readResponses(text).map(({ status }) => status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429, 429, 429, 429, 429]);
  });

  test('a request is counted when its head arrives, not when its body does', async () => {
    const { url } = await startForTest({ keys: [{ key: FREE_KEY, plan: 'free', perMinute: 1 }] });
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    const head = `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${FREE_KEY}\r\n`;
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: 14\r\n\r\n`);
    const [interim]: unknown[] = await once(socket, 'data');
    expect(String(interim)).toMatch(/^HTTP\/1\.1 100 /);
    expect((await sendRaw(`${url}/inventory`)).status).toBe(429);
    socket.end('{"quantity":5}');
    const [final]: unknown[] = await once(socket, 'data');
    expect(String(final)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('429 has an Error body, and one request after Retry-After is accepted', async () => {
    const server = await startForTest();
    await useUp(server, 60);
    const refused = await sendRaw(`${server.url}/inventory`);
    expect(refused.status).toBe(429);
    expect(member(refused.body, 'status')).toBe(429);
    expect(rateLimit(refused)).toMatchObject({ limit: 60, remaining: 0 });
    expect(retryAfter(refused)).toBeGreaterThanOrEqual(1);
    expect(retryAfter(refused)).toBeLessThanOrEqual(60);
    await advance(server, retryAfter(refused));
    const accepted = await sendRaw(`${server.url}/inventory`);
    expect(accepted.status).toBe(200);
    expect(rateLimit(accepted).remaining).toBe(59);
  });

  test('Reset and Date follow the clock of the control contract', async () => {
    const server = await startForTest();
    await advance(server, 1_000_000.5);
    const received = await sendRaw(`${server.url}/inventory`);
    const now = await readNow(server);
    const { reset } = rateLimit(received);
    expect(reset).toBeLessThanOrEqual(now + 61);
    expect(Date.parse(fieldOf(received, 'Date') ?? '') / 1_000).toBeLessThanOrEqual(now);
    expect(reset - Date.parse(fieldOf(received, 'Date') ?? '') / 1_000).toBeGreaterThanOrEqual(60);
  });
});

describe('the day', () => {
  test('binds over all minutes, and the headers then describe it', async () => {
    const server = await startForTest();
    const key = await issueKey(server, { plan: 'free', usedToday: 998 });
    const read = () => sendRaw(`${server.url}/inventory`, { key });
    const received = [await read(), await read(), await read()];
    expect(received.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(received.map((one) => rateLimit(one).remaining)).toEqual([1, 0, 0]);
    expect(received.map((one) => rateLimit(one).limit)).toEqual([1_000, 1_000, 1_000]);
    await advance(server, 120);
    const refused = await read();
    expect(refused.status).toBe(429);
    expect(retryAfter(refused)).toBeGreaterThan(86_400 - 120 - 60);
    await advance(server, retryAfter(refused));
    expect(rateLimit(await read())).toMatchObject({ limit: 60, remaining: 59 });
  });
});

describe('bans', () => {
  test.each([401, 403, 429] as const)('end when Retry-After says, answered %i', async (status) => {
    const server = await startForTest({ ban: { afterRefused: 3, seconds: 300, status } });
    const read = () => sendRaw(`${server.url}/inventory`);
    await useUp(server, 60);
    const refused = [await read(), await read(), await read(), await read(), await read()];
    expect(refused.map(({ body }) => member(body, 'code'))).toEqual([
      'rate_limited',
      'rate_limited',
      'rate_limited',
      'key_banned',
      'key_banned',
    ]);
    await advance(server, 70);
    const banned = await read();
    expect(banned.status).toBe(status);
    expect(member(banned.body, 'status')).toBe(status);
    expect(fieldOf(banned, 'WWW-Authenticate')).toBe(status === 401 ? 'Bearer' : undefined);
    expect(rateLimit(banned)).toMatchObject({ limit: 60, remaining: 0 });
    expect(rateLimit(banned).reset).toBeLessThanOrEqual((await readNow(server)) + 61);
    expect((await sendRaw(`${server.url}/inventory`, { key: OTHER_FREE_KEY })).status).toBe(200);
    await advance(server, retryAfter(banned));
    expect((await read()).status).toBe(200);
  });
});
