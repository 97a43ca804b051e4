import { expect, onTestFinished, test, vi } from 'vitest';

import {
  expectedStatuses,
  makeVisits,
  rawMessages,
  rawVisits,
  visitsLeftAtEachByte,
  type RawAnswer,
  type RawPort,
  type RawVisit,
} from '../../fixtures/raw-storm.test-data.ts';
import { startReferenceServer, type RunningServer } from '../start.ts';
import { ITEMS, readNow, sendRaw } from '../testing.test-data.ts';

/** `STORM_REQUESTS=200000 npx vitest run reference-server/ports/raw-storm.test.ts` makes a larger one; `STORM_SEED` another. */
const REQUESTS = Number(process.env['STORM_REQUESTS'] ?? 10_000);
const SEED = Number(process.env['STORM_SEED'] ?? 1);
const MOST_MESSAGES = 60;
const VISITS = 100;

const KEY = 'enterprise-storm-key';
const FIELDS = `Host: 127.0.0.1\r\nContent-Type: application/json\r\n`;
const AUTHORIZED = `${FIELDS}Authorization: Bearer ${KEY}\r\n`;
const UPDATE = `Content-Length: 14\r\n\r\n{"quantity":9}`;

const SERVICE: RawPort = {
  read: 'GET /v1/inventory',
  write: 'PATCH /v1/inventory/1',
  body: '{"quantity":7}',
  smuggledBody: '{"quantity":6}',
  fields: AUTHORIZED,
  others: [
    { text: `GET http://other.example/v1/inventory HTTP/1.1\r\n${AUTHORIZED}\r\n`, status: 200 },
    { text: `GET /v1/inventory HTTP/1.1\r\n${FIELDS}\r\n`, status: 401 },
    { text: `PATCH /v1/inventory/1 HTTP/1.1\r\n${FIELDS}${UPDATE}`, status: 401 },
    { text: `PATCH /v1/inventory/404 HTTP/1.1\r\n${AUTHORIZED}${UPDATE}`, status: 404 },
    { text: `HEAD /v1/inventory HTTP/1.1\r\n${AUTHORIZED}\r\n`, status: 405, bodiless: true },
    { text: `OPTIONS * HTTP/1.1\r\n${AUTHORIZED}\r\n`, status: 404 },
    { text: `GET //../%2e%2e/%00 HTTP/1.1\r\n${AUTHORIZED}\r\n`, status: 404 },
    { text: `CONNECT other.example:443 HTTP/1.1\r\n${AUTHORIZED}\r\n`, status: 404, ends: true },
    { text: `CONNECT other.example:443 HTTP/1.1\r\n${FIELDS}\r\n`, status: 401, ends: true },
    { text: `CONNECT /v1/inventory HTTP/1.1\r\n${AUTHORIZED}\r\n`, status: 405, ends: true },
    {
      text: `PATCH /v1/inventory/1 HTTP/1.1\r\n${AUTHORIZED}Transfer-Encoding: gzip\r\n\r\n`,
      status: 400,
      ends: true,
    },
  ],
};

const CONTROL: RawPort = {
  read: 'GET /',
  write: 'POST /clock',
  body: '{"advanceSeconds":0}',
  smuggledBody: '{"advanceSeconds":6}',
  fields: FIELDS,
  others: [
    { text: `GET /nowhere HTTP/1.1\r\n${FIELDS}\r\n`, status: 404 },
    { text: `OPTIONS * HTTP/1.1\r\n${FIELDS}\r\n`, status: 404 },
    { text: `DELETE /keys/%zz HTTP/1.1\r\n${FIELDS}\r\n`, status: 404 },
    { text: `CONNECT other.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, status: 404, ends: true },
  ],
};

/** The statuses that a visit got, in place of those that it had to get. */
function wronglyAnswered(
  visits: readonly RawVisit[],
  answers: readonly (readonly RawAnswer[] | null)[],
): readonly unknown[] {
  return visits.flatMap((visit, index) => {
    const got = answers[index]?.map(({ status }) => status);
    const expected = expectedStatuses(visit);
    return got === undefined || got.join() === expected.join()
      ? []
      : [{ visit: visit.messages.map(({ text }) => text.slice(0, 200)), cuts: visit.cuts, expected, got }];
  });
}

/** Storms the port in batches, and checks each answer that a client waited for. */
async function storm(
  address: string,
  port: RawPort,
  requests: number,
  check: (answer: RawAnswer) => void,
): Promise<void> {
  for (let sent = 0, seed = SEED; sent < requests; seed += 1) {
    const visits = rawVisits(port, { visits: VISITS, most: MOST_MESSAGES, seed });
    const answers = await makeVisits(address, visits);
    expect(wronglyAnswered(visits, answers)).toEqual([]);
    answers.forEach((got) => got?.forEach(check));
    sent += visits.reduce((sum, { messages }) => sum + messages.length, 0);
  }
  // A shorter message of each kind, left by the client in the middle of each byte.
  const short = rawMessages(port).filter(({ text }) => text.length < 100);
  await makeVisits(address, [
    ...visitsLeftAtEachByte(short, 'reset'),
    ...visitsLeftAtEachByte(short.slice(0, 1), 'close'),
  ]);
}

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

/** Starts a server for the test, and sees at its end that no connection is left. */
async function startForStorm(): Promise<RunningServer> {
  const before = openSockets();
  const server = await startReferenceServer({
    inventory: ITEMS,
    keys: [{ key: KEY, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }],
  });
  onTestFinished(async () => {
    await server.close();
    await vi.waitFor(() => expect(openSockets()).toBe(before), { timeout: 60_000 });
  });
  return server;
}

test('a storm of raw requests on the service port is answered message by message', async () => {
  const { url } = await startForStorm();
  await storm(url, SERVICE, 0.75 * REQUESTS, ({ head }) => {
    expect(head.match(/^X-RateLimit-(?:Limit|Remaining|Reset): \d+$/gm)).toHaveLength(3);
  });
  const after = await sendRaw(`${url}/inventory`, { key: KEY });
  expect(after.status).toBe(200);
  expect(JSON.stringify(after.body, (_, value) => String(value))).not.toContain('"quantity":"6"');
});

test('a storm of raw requests on the control port is answered message by message', async () => {
  const server = await startForStorm();
  await storm(server.controlUrl, CONTROL, 0.25 * REQUESTS, () => {});
  expect(Math.abs((await readNow(server)) - Date.now() / 1_000)).toBeLessThan(6);
  expect((await sendRaw(`${server.url}/inventory`, { key: KEY })).status).toBe(200);
});
