import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { type Alteration, VARIANTS } from '../../../reference-server/index.ts';
import { judgeServer, requestOfTask, SCENARIOS, type ClientScenario } from '../../../suites/certify/index.ts';
import { startCounterparty } from './counterparty.ts';

/** Starts the counterparty of a scenario, which is closed at the end of the test. */
async function startFor(
  id: string,
  alterations: readonly Alteration[] = [],
  changes: Partial<ClientScenario> = {},
) {
  const scenario = SCENARIOS.find((one) => one.id === id);
  if (scenario === undefined) {
    throw new Error(`There is no scenario ${id}`);
  }
  const counterparty = await startCounterparty({ ...scenario, ...changes }, '127.0.0.1', alterations);
  onTestFinished(counterparty.close);
  const { hostname: host, port } = new URL(counterparty.baseUrl);
  return { ...counterparty, ...requestOfTask(scenario.task), address: { host, port: Number(port) } };
}

test('a client that resets its connection after any byte of a CONNECT ends no scenario', async () => {
  const { baseUrl, apiKey, traffic, address } = await startFor('list');
  const text = 'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n';
  for (let bytes = 1; bytes <= text.length; bytes += 1) {
    const socket = connect(address);
    socket.write(text.slice(0, bytes), () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  const response = await fetch(`${baseUrl}/inventory`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(response.status).toBe(200);
  // A last CONNECT may have come whole, and is traffic as any other request.
  expect(traffic().exchanges.at(-1)?.request.method).toBe('GET');
});

test.each([
  ['update-refused-beyond-ascii', /F\uFFFD+r/],
  // What is left as it is tells a client that loses escapes from one whose stdout takes only ASCII.
  ['spelled-otherwise-refusal', /f\\u00fchrt das Caf\u00E9.*\\ud83d\\udc08/],
])('%s writes more than ASCII as no other scenario does', async (id, asRead) => {
  const { baseUrl, apiKey, method, path, content } = await startFor(id);
  const headers = { authorization: `Bearer ${apiKey}` };
  const sent = request(baseUrl + path, { method, headers }).end(content ?? '');
  const response: IncomingMessage = (await once(sent, 'response'))[0];
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(response, 'end');
  expect(chunks.map(String).join('')).toMatch(asRead);
  expect(JSON.parse(Buffer.concat(chunks).toString()).message).toMatch(/ü.*Café.*猫 🐈/);
});

const SPELLINGS = VARIANTS.filter(({ freedom }) => freedom === 'json text' || freedom === 'media type');

test.for(SPELLINGS)('$id leaves the page of HTML as it is that a script answers', async ({ alter }) => {
  const { baseUrl, apiKey, method, path, content } = await startFor('limited-html-body', [alter]);
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(baseUrl + path, { method, headers, body: content });
  expect(response.status).toBe(429);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toMatch(/^<!doctype html>/);
});

test('a path with dot segments is answered as the path without', async () => {
  const { apiKey, traffic, address } = await startFor('list-empty');
  const socket = connect(address);
  socket.end(
    `GET /v1/x/../%2e/inventory?a=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nConnection: close\r\n\r\n`,
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
  expect(traffic().exchanges[0]?.request.target).toBe('/v1/x/../%2e/inventory?a=1');
});

test.each([
  ['a method in small letters', 'patch /v1/inventory/1 HTTP/1.1\r\n\r\n', 'The method is "patch"'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'in HTTP/2'],
  [
    'a TLS handshake',
    '\u0016\u0003\u0001\u0000\u0005\u0001\u0000\u0000\u0001\u0000',
    'A TLS handshake arrived',
  ],
  ['a space before a colon', 'GET /v1/inventory HTTP/1.1\r\nHost : a\r\n\r\n', 'not well-formed'],
])('%s is no request, and is known to have come', async (_what, sent, malformed) => {
  const { traffic, address } = await startFor('list-empty');
  const socket = connect(address);
  socket.end(Buffer.from(sent, 'latin1'));
  await once(socket, 'data');
  expect(traffic()).toMatchObject({ exchanges: [], malformed: expect.stringContaining(malformed) });
});

test('an answer that comes when the client is gone is marked as lost, and asks for no wait', async () => {
  const released = Promise.withResolvers<void>();
  const hold = (turn: number): Promise<void> => (turn === 0 ? released.promise : Promise.resolve());
  const counterparty = await startFor('limited-seconds', [], { hold });
  const url = `${counterparty.baseUrl}/inventory`;
  const headers = { authorization: `Bearer ${counterparty.apiKey}` };
  const leaving = new AbortController();
  const arrived = counterparty.activity();
  const given = fetch(url, { headers, signal: leaving.signal }).catch(() => 'gave up');
  await arrived;
  leaving.abort();
  expect(await given).toBe('gave up');
  // What is answered then shows that the server has seen the end.
  await fetch(url, { headers });
  released.resolve();
  await expect
    .poll(() => counterparty.traffic().exchanges[0])
    .toMatchObject({ response: { status: 429 }, isLost: true, allowedAt: null });
  expect(counterparty.traffic().exchanges[1]).not.toHaveProperty('isLost');
});

const IMPATIENT_REQUESTS = 13;

// What is slow or long takes seconds, and is answered as all others are; fetch reads no 100 that it did not ask for, and no
// answer that breaks off.
const QUICK = SCENARIOS.filter(
  ({ traits = [], inventory }) =>
    !traits.some((trait) => /^(?:slow|answers-nothing|breaks-off|informational-responses)$/.test(trait)) &&
    inventory.length < 1_000,
);

/** Plays a client that does not wait, until it is banned, and one that leaves its key out. */
async function play({ task }: ClientScenario, baseUrl: string, apiKey: string): Promise<void> {
  const { method, path, content: body } = requestOfTask(task);
  const url = baseUrl + path;
  const request: RequestInit = { method, redirect: 'manual', body };
  const headers = body === null ? {} : { 'content-type': 'application/json' };
  await (await fetch(url, { ...request, headers })).text();
  for (let sent = 0; sent < IMPATIENT_REQUESTS; sent += 1) {
    await (
      await fetch(url, { ...request, headers: { ...headers, authorization: `Bearer ${apiKey}` } })
    ).text();
  }
}

test('the oracle accuses the server of a client in no scenario, but of what one breaks on purpose', async () => {
  const judged = await Promise.all(
    QUICK.map(async (scenario) => {
      const counterparty = await startCounterparty(scenario, '127.0.0.1');
      const { baseUrl, apiKey } = counterparty;
      try {
        await play(scenario, baseUrl, apiKey);
        const told = { traffic: counterparty.traffic(), baseUrl, apiKey };
        const { breaks: _breaks, ...strict } = scenario;
        return {
          id: scenario.id,
          ...judgeServer({ scenario, ...told }),
          strictly:
            scenario.breaks === undefined
              ? []
              : judgeServer({ scenario: strict, ...told }).accusations.map(({ requirement }) => requirement),
          breaks: scenario.breaks ?? [],
        };
      } finally {
        await counterparty.close();
      }
    }),
  );
  expect(judged.filter(({ accusations }) => accusations.length > 0)).toEqual([]);
  expect(judged.map(({ responses }) => responses)).toEqual(QUICK.map(() => IMPATIENT_REQUESTS + 1));
  expect(judged.map(({ strictly }) => strictly)).toEqual(judged.map(({ breaks }) => breaks));
});
