import { describe, expect, test } from 'vitest';

import {
  validateError,
  validateInventory,
  validateInventoryItem,
} from '../../contract/openapi-schemas.test-data.ts';
import {
  REQUEST_BODIES,
  credentialVariants,
  ODD_PET_IDS,
  pathSpellings,
  UNKNOWN_ROUTES,
  unknownPets,
} from '../../fixtures/corpora/index.ts';
import type { RunningServer } from '../start.ts';
import {
  exchangeText,
  FREE_KEY,
  fieldOf,
  ITEMS,
  member,
  OTHER_FREE_KEY,
  rateLimit,
  readResponses,
  REVOKED_KEY,
  sendRaw,
  startForTest,
  type Received,
} from '../testing.test-data.ts';

const GENEROUS_KEY = 'generous-test-key';
const GENEROUS = [{ key: GENEROUS_KEY, plan: 'enterprise', perMinute: 100_000, perDay: 1_000_000 }] as const;
const BAD_CREDENTIALS = credentialVariants(FREE_KEY, [OTHER_FREE_KEY]).filter(
  ({ reading }) => reading.expect === 401,
);
const INT64_PET = '9007199254740993';
const LIST = ITEMS.map(({ petId, quantity, status }) => ({
  petId: petId > 2n ** 53n ? petId : Number(petId),
  quantity,
  status,
}));

/** Sends the request line and the fields as they stand, on a connection of its own. */
async function sendText(
  server: RunningServer,
  head: string,
  body: string | Uint8Array = '',
): Promise<Received> {
  const length = Buffer.byteLength(body);
  const fields = `Host: test\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
  const [response] = readResponses(await exchangeText(server.url, `${head}\r\n${fields}`, body));
  expect(response).toBeDefined();
  return response ?? { status: 0, headers: [], body: undefined };
}

function expectError(received: Received, status: number): void {
  expect(received.status).toBe(status);
  expect(validateError(received.body)).toEqual([]);
  expect(member(received.body, 'status')).toBe(status);
  expect(fieldOf(received, 'Content-Type')).toBe('application/json');
  rateLimit(received);
}

describe('listInventory', () => {
  test('answers every entry with all digits of its petId', async () => {
    const { url } = await startForTest();
    const received = await sendRaw(`${url}/inventory`);
    expect(received.status).toBe(200);
    expect(received.body).toEqual(LIST);
    expect(validateInventory(received.body)).toEqual([]);
    expect(fieldOf(received, 'Content-Type')).toBe('application/json');
    expect(fieldOf(received, 'Content-Length')).toBeDefined();
    expect(rateLimit(received)).toMatchObject({ limit: 60, remaining: 59 });
  });

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
  test('sets the quantity of one pet and nothing else', async () => {
    const { url } = await startForTest();
    await sendRaw(`${url}/inventory`);
    const received = await sendRaw(`${url}/inventory/${INT64_PET}`, {
      method: 'PATCH',
      body: '{"quantity":41}',
    });
    expect(received.status).toBe(200);
    expect(received.body).toEqual({ petId: 9_007_199_254_740_993n, quantity: 41, status: 'sold' });
    expect(validateInventoryItem(received.body)).toEqual([]);
    expect((await sendRaw(`${url}/inventory`)).body).toEqual(
      LIST.with(1, { petId: 9_007_199_254_740_993n, quantity: 41, status: 'sold' }),
    );
  });

  test.each(REQUEST_BODIES)('$name: set as given, or refused with no change', async (entry) => {
    const { url } = await startForTest();
    const received = await sendRaw(`${url}/inventory/1`, { method: 'PATCH', body: entry.body });
    const list = await sendRaw(`${url}/inventory`);
    const accepted = received.status === 200;
    const quantity = accepted ? Number(entry.quantity ?? member(received.body, 'quantity')) : 7;
    const updated = { petId: 1, quantity, status: 'available' } as const;
    expect(received).toMatchObject(
      accepted ? { status: 200, body: updated } : { status: 400, body: { status: 400 } },
    );
    expect(list.body).toEqual(LIST.with(0, updated));
    expect(accepted && entry.reading.expect === 400).toBe(false);
    rateLimit(received);
  });

  test('answers 404 to each pet that is not there', async () => {
    const { url } = await startForTest({ keys: GENEROUS });
    for (const { path } of [...unknownPets(new Set(ITEMS.map(({ petId }) => petId))), ...ODD_PET_IDS]) {
      const update = { method: 'PATCH', key: GENEROUS_KEY, body: '{"quantity":41}' };
      const received = await sendRaw(`${url}${path}`, update);
      expectError(received, path === '/inventory/' ? 405 : 404);
    }
    expect((await sendRaw(`${url}/inventory`, { key: GENEROUS_KEY })).body).toEqual(LIST);
  });

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
    expectError(unknown, 404);
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

describe('keys', () => {
  const operations = ['GET /inventory', 'PATCH /inventory/1', 'GET /pets/1', 'GET /store/orders'];

  test.each([...operations, 'GET /nowhere', 'DELETE /inventory', 'PATCH /inventory/404', 'HEAD /inventory'])(
    '%s demands one before anything else',
    async (operation) => {
      const server = await startForTest();
      const [method = '', path] = operation.split(' ');
      for (const { authorization } of BAD_CREDENTIALS) {
        const fields = authorization.map((value) => `\r\nAuthorization: ${value}`).join('');
        const received = await sendText(server, `${method} /v1${path} HTTP/1.1${fields}`, 'not JSON');
        expect([authorization, received.status]).toEqual([authorization, 401]);
        expect(fieldOf(received, 'WWW-Authenticate')).toMatch(/^Bearer/);
        expect(rateLimit(received).limit).toBe(60);
      }
      const revoked = await sendRaw(`${server.url}${path}`, { method, key: REVOKED_KEY });
      expect(revoked.status).toBe(401);
    },
  );

  test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer '])('the scheme may be written %s', async (scheme) => {
    const server = await startForTest();
    const head = `GET /v1/inventory HTTP/1.1\r\nAuthorization: ${scheme} ${FREE_KEY}`;
    expect((await sendText(server, head)).status).toBe(200);
  });

  test('a refusal without a key has an Error body and an untouched minute of the Free plan', async () => {
    const { url } = await startForTest();
    const received = await sendRaw(`${url}/inventory`, { key: 'unknown' });
    expectError(received, 401);
    const { limit, remaining, reset } = rateLimit(received);
    expect({ limit, remaining }).toEqual({ limit: 60, remaining: 60 });
    const age = reset - Date.parse(fieldOf(received, 'Date') ?? '') / 1_000;
    expect(age).toBe(60);
  });
});

describe('routes', () => {
  test('every odd path has the headers, and an Error body unless it is served', async () => {
    const server = await startForTest({ keys: GENEROUS });
    for (const { name, method, path } of [...pathSpellings('1'), ...UNKNOWN_ROUTES]) {
      const head = `${method} /v1${path} HTTP/1.1\r\nAuthorization: Bearer ${GENEROUS_KEY}`;
      const received = await sendText(server, head, method === 'PATCH' ? '{"quantity":7}' : '');
      rateLimit(received);
      const told = received.status === 200 ? 200 : member(received.body, 'status');
      expect([name, told]).toEqual([name, received.status]);
      expect(received.status).toBeLessThan(500);
    }
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])('%s /inventory is 405', async (method) => {
    const { url } = await startForTest();
    const received = await sendRaw(`${url}/inventory`, { method });
    expect(received.status).toBe(405);
    expect(fieldOf(received, 'Allow')).toBe('GET');
    rateLimit(received);
  });
});
