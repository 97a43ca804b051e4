import { describe, expect, test } from 'vitest';

import { startReferenceServer } from '../start.ts';
import {
  advance,
  exchangeText,
  FREE_KEY,
  issueKey,
  ITEMS,
  member,
  order,
  rateLimit,
  readNow,
  REVOKED_KEY,
  sendRaw,
  startForTest,
} from '../testing.test-data.ts';

const JSON_BODY = { 'content-type': 'application/json' };

test('says what it offers', async () => {
  const server = await startForTest();
  const root = await order(server, 'GET /');
  expect(root.status).toBe(200);
  expect(member(root.body, 'capabilities')).toEqual(['reset', 'keys', 'clock', 'inventory']);
  expect(member(root.body, 'now')).toBeTypeOf('number');
});

test('the clock flows and is set forward', async () => {
  const server = await startForTest();
  const before = await readNow(server);
  const answer = await order(server, 'POST /clock', { advanceSeconds: 60.25 });
  expect(answer.status).toBe(200);
  expect(member(answer.body, 'now')).toBeGreaterThanOrEqual(before + 60.25);
  expect(await readNow(server)).toBeGreaterThan(before + 60.25);
});

test('keys are issued with the limits of their plan or their own, and revoked', async () => {
  const server = await startForTest();
  const limits: number[] = [];
  for (const wanted of [{ plan: 'pro' }, { plan: 'enterprise', perMinute: 7, perDay: 70 }]) {
    const key = await issueKey(server, wanted);
    limits.push(rateLimit(await sendRaw(`${server.url}/inventory`, { key })).limit);
    expect((await order(server, `DELETE /keys/${encodeURIComponent(key)}`)).status).toBe(204);
    expect((await sendRaw(`${server.url}/inventory`, { key })).status).toBe(401);
  }
  expect(limits).toEqual([300, 7]);
  expect((await order(server, 'POST /keys', { plan: 'free' })).status).toBe(201);
  expect((await order(server, 'DELETE /keys/unknown')).status).toBe(404);
  expect((await order(server, 'DELETE /keys/%')).status).toBe(404);
});

test('a reset brings back keys, entries, counters and bans as at start', async () => {
  const server = await startForTest({ ban: { afterRefused: 0 } });
  const before = (await sendRaw(`${server.url}/inventory`)).body;
  const issued = await issueKey(server, { plan: 'free' });
  await sendRaw(`${server.url}/inventory/1`, { method: 'PATCH', body: '{"quantity":99}' });
  await order(server, 'PUT /inventory', []);
  await Promise.all(Array.from({ length: 70 }, () => sendRaw(`${server.url}/pets/1`)));
  await order(server, `DELETE /keys/${FREE_KEY}`);
  await advance(server, 5);

  expect((await order(server, 'POST /reset')).status).toBe(204);
  const after = await sendRaw(`${server.url}/inventory`);
  expect(after.body).toEqual(before);
  expect(rateLimit(after).remaining).toBe(59);
  expect((await sendRaw(`${server.url}/inventory`, { key: issued })).status).toBe(401);
  expect((await sendRaw(`${server.url}/inventory`, { key: REVOKED_KEY })).status).toBe(401);
});

test('the inventory is replaced, exact to the last digit', async () => {
  const server = await startForTest();
  const text = `[{"petId":9223372036854775806,"quantity":12345678901234567890,"status":"sold"}]`;
  const response = await fetch(`${server.controlUrl}/inventory`, {
    method: 'PUT',
    body: text,
    headers: JSON_BODY,
  });
  expect(response.status).toBe(204);
  const list = await fetch(`${server.url}/inventory`, { headers: { authorization: `Bearer ${FREE_KEY}` } });
  expect(await list.text()).toBe(text);
});

const host = (name: string): string => `Host: ${name}\r\n`;

describe('a request that was not meant for it', () => {
  const own = host('127.0.0.1:9090');

  test.each([
    ['421', `GET / HTTP/1.1\r\n${host('rebound.example')}`],
    ['421', `GET / HTTP/1.1\r\n${host('rebound.example:9090')}`],
    ['421', `GET / HTTP/1.1\r\n${host('127.0.0.1.rebound.example')}`],
    ['421', `GET / HTTP/1.1\r\n${host('localhost.example')}`],
    ['421', `GET / HTTP/1.1\r\n${host('203.0.113.7')}`],
    ['421', `GET / HTTP/1.1\r\n${host('127.0.0.1@rebound.example')}`],
    ['421', `GET / HTTP/1.1\r\n${host('')}`],
    ['421', `POST http://rebound.example/reset HTTP/1.1\r\n${own}`],
    ['403', `POST /reset HTTP/1.1\r\n${own}Origin: https://web.example\r\n`],
    ['403', `POST /reset HTTP/1.1\r\n${own}Origin: null\r\n`],
    ['403', `POST /reset HTTP/1.1\r\n${own}Origin: http://localhost:3000\r\n`],
    ['403', `POST /reset HTTP/1.1\r\n${own}Origin: http://127.0.0.1:9090.web.example\r\n`],
    ['403', `POST /reset HTTP/1.1\r\n${own}Sec-Fetch-Site: cross-site\r\n`],
    ['403', `DELETE /keys/${FREE_KEY} HTTP/1.1\r\n${own}Origin: https://web.example\r\n`],
    ['403', `OPTIONS /reset HTTP/1.1\r\n${own}Origin: https://web.example\r\n`],
    ['415', `POST /keys HTTP/1.1\r\n${own}Content-Type: text/plain\r\nContent-Length: 15\r\n`],
    ['415', `POST /keys HTTP/1.1\r\n${own}Content-Length: 15\r\n`],
    [
      '415',
      `POST /keys HTTP/1.1\r\n${own}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 15\r\n`,
    ],
  ])('is refused with %s: %s', async (status, head) => {
    const server = await startForTest();
    await sendRaw(`${server.url}/inventory`);
    const text = await exchangeText(server.controlUrl, `${head}Connection: close\r\n\r\n{"plan":"free"}`);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    // Nothing was reset, and the key is still good.
    expect(rateLimit(await sendRaw(`${server.url}/inventory`)).remaining).toBe(58);
  });

  test.each([
    host('localhost'),
    host('LOCALHOST:1'),
    host('server.localhost:9090'),
    host('[::1]:9090'),
    host('127.1.2.3'),
    // As seen from where a container's published ports are.
    host('172.17.0.1:32768'),
    host('[fd00::1]:32768'),
    `${own}Origin: http://127.0.0.1:9090\r\n`,
    `${own}Sec-Fetch-Site: none\r\n`,
  ])('is not one with %s', async (fields) => {
    const { controlUrl } = await startForTest();
    const text = await exchangeText(controlUrl, `GET / HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a bad order', () => {
  test.each([
    ['POST /keys', '{"plan":"gold"}', 'plan'],
    ['POST /keys', '{}', 'plan'],
    ['POST /keys', '{"plan":"free","perMinute":0}', 'perMinute'],
    ['POST /keys', '{"plan":"free","perDay":"9"}', 'perDay'],
    ['POST /keys', '{"plan":"free","usedToday":-1}', 'usedToday'],
    ['POST /keys', '{"plan":"free","usedTody":1}', 'usedTody'],
    ['POST /keys', '[]', 'object'],
    ['POST /keys', '{', 'JSON'],
    ['POST /keys', '', 'JSON'],
    ['POST /clock', '{"advanceSeconds":-1}', 'advanceSeconds'],
    ['POST /clock', '{"advanceSeconds":"60"}', 'advanceSeconds'],
    ['POST /clock', '{"advanceSeconds":1e400}', 'advanceSeconds'],
    ['POST /clock', '{"seconds":1}', 'seconds'],
    ['PUT /inventory', '{}', 'array'],
    ['PUT /inventory', '[{"petId":1,"quantity":1.5,"status":"sold"}]', '[0].quantity'],
    ['PUT /inventory', '[{"petId":9223372036854775808,"quantity":1,"status":"sold"}]', '[0].petId'],
    [
      'PUT /inventory',
      '[{"petId":1,"quantity":1,"status":"sold"},{"petId":1,"quantity":2,"status":"sold"}]',
      '[1].petId',
    ],
  ])('%s %s is answered 400 and names %s', async (call, body, named) => {
    const server = await startForTest();
    const [method = '', path = ''] = call.split(' ');
    const response = await fetch(server.controlUrl + path, { method, body, headers: JSON_BODY });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(named);
    expect((await sendRaw(`${server.url}/inventory`)).body).toHaveLength(ITEMS.length);
  });

  test.each(['GET /keys', 'POST /nowhere', 'DELETE /inventory', 'DELETE /keys'])(
    '%s is 404',
    async (call) => {
      expect((await order(await startForTest(), call)).status).toBe(404);
    },
  );
});

test('can be left out', async () => {
  const server = await startReferenceServer({ control: false });
  expect(server.controlUrl).toBe('');
  await server.close();
});
