import { once } from 'node:events';
import { connect } from 'node:net';

import { describe, expect, test } from 'vitest';

import {
  exchangeText,
  FREE_KEY,
  fieldOf,
  ITEMS,
  member,
  rateLimit,
  readResponses,
  sendRaw,
  startForTest,
} from '../testing.test-data.ts';

const INT64_PET = '9007199254740993';
const LIST = ITEMS.map(({ petId, quantity, status }) => ({
  petId: petId > 2n ** 53n ? petId : Number(petId),
  quantity,
  status,
}));

// What the specification says is judged by the suite itself, in `verify --self` and by `prove`. This is what it leaves open.

describe('listInventory', () => {
  test('answers [] if there is no pet, and a list of megabytes', async () => {
    const { url } = await startForTest({ inventory: [] });
    expect((await sendRaw(`${url}/inventory`)).body).toEqual([]);
    const inventory = Array.from({ length: 20_000 }, (_, index) => ({
      petId: 2n ** 62n + BigInt(index),
      quantity: index,
      status: 'sold' as const,
    }));
    const large = await startForTest({ inventory });
    expect((await sendRaw(`${large.url}/inventory`)).body).toEqual(inventory);
  });
});

describe('updateInventory', () => {
  test('a body beyond 1 MiB is answered 413 and leaves the connection usable', async () => {
    const { url } = await startForTest();
    const head = `PATCH /v1/inventory/1 HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${FREE_KEY}\r\n`;
    const large = `{"quantity":5,"note":"${'x'.repeat(1_048_576)}"}`;
    const last = `GET /v1/inventory HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer ${FREE_KEY}\r\n\r\n`;
    const text = await exchangeText(
      url,
      `${head}Content-Length: ${large.length}\r\n\r\n${large}`,
      `${head}Transfer-Encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`,
      last,
    );
    const [announced, chunked, list] = readResponses(text);
    expect([announced?.status, chunked?.status, list?.status]).toEqual([413, 413, 200]);
    expect(member(announced?.body, 'status')).toBe(413);
    expect(list?.body).toEqual(LIST);
  });
});

describe('the other operations', () => {
  test('getPet tells that it is deprecated', async () => {
    const { url } = await startForTest();
    const found = await sendRaw(`${url}/pets/${INT64_PET}`);
    expect(member(found.body, 'petId')).toBe(9_007_199_254_740_993n);
    const unknown = await sendRaw(`${url}/pets/2`);
    expect(unknown.status).toBe(404);
    for (const received of [found, unknown]) {
      expect(fieldOf(received, 'Deprecation')).toBe('@1767225600');
      expect(fieldOf(received, 'Sunset')).toBe('Sat, 01 Jan 2028 00:00:00 GMT');
    }
  });

  test('listOrders answers an order for each pet that is sold', async () => {
    const { url } = await startForTest();
    const received = await sendRaw(`${url}/store/orders`);
    expect(received.status).toBe(200);
    expect(received.body).toEqual([
      { orderId: 1, petId: 9_007_199_254_740_993n, quantity: 1, status: 'delivered' },
    ]);
    expect(fieldOf(received, 'Deprecation')).toBeUndefined();
  });
});

test('without a key the headers tell of an untouched minute of the Free plan', async () => {
  const { url } = await startForTest();
  const received = await sendRaw(`${url}/inventory`, { key: 'unknown' });
  expect(received.status).toBe(401);
  const { limit, remaining, reset } = rateLimit(received);
  expect({ limit, remaining }).toEqual({ limit: 60, remaining: 60 });
  const age = reset - Date.parse(fieldOf(received, 'Date') ?? '') / 1_000;
  expect(age).toBe(60);
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
