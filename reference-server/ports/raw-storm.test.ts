import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';

import { startReferenceServer } from '../start.ts';
import { ITEMS, sendRaw } from '../testing.test-data.ts';

/** One message as raw bytes (Latin-1), and how it has to be answered. */
interface RawMessage {
  readonly text: string;
  readonly status: number;
  /** Whether the answer has no body, whatever its Content-Length. */
  readonly bodiless?: true;
}

const KEY = 'enterprise-storm-key';
const PLAIN = `Host: 127.0.0.1\r\nContent-Type: application/json\r\n`;
const AUTHORIZED = `Authorization: Bearer ${KEY}\r\n`;
const FIELDS = PLAIN + AUTHORIZED;
const MANY = 'a: b\r\n'.repeat(2_100);
const READ = 'GET /v1/inventory';
const WRITE = 'PATCH /v1/inventory/1';
const BODY = '{"quantity":7}';
const LENGTH = `Content-Length: ${BODY.length}\r\n`;
const IN_CHUNKS = 'Transfer-Encoding: chunked\r\n';
const H2C = 'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk';
/** What it asks for must never be done. */
const SMUGGLED = `${WRITE} HTTP/1.1\r\n${FIELDS}${LENGTH}\r\n{"quantity":6}`;

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const LASTING: readonly RawMessage[] = [
  { text: `${READ} HTTP/1.1\r\n${FIELDS}\r\n`, status: 200 },
  { text: `\r\n${READ} HTTP/1.1\r\n${FIELDS}\r\n`, status: 200 },
  { text: `${READ} HTTP/1.1\r\n${FIELDS}${MANY}\r\n`, status: 200 },
  { text: `GET http://other.example/v1/inventory HTTP/1.1\r\n${FIELDS}\r\n`, status: 200 },
  { text: `${READ} HTTP/1.1\r\n${PLAIN}\r\n`, status: 401 },
  { text: `HEAD /v1/inventory HTTP/1.1\r\n${FIELDS}\r\n`, status: 405, bodiless: true },
  { text: `OPTIONS * HTTP/1.1\r\n${FIELDS}\r\n`, status: 404 },
  { text: `GET //../%2e%2e/%00 HTTP/1.1\r\n${FIELDS}\r\n`, status: 404 },
  { text: `${WRITE} HTTP/1.1\r\n${FIELDS}${LENGTH}\r\n${BODY}`, status: 200 },
  { text: `${WRITE} HTTP/1.1\r\n${PLAIN}${LENGTH}\r\n${BODY}`, status: 401 },
  { text: `${WRITE} HTTP/1.1\r\n${FIELDS}Expect: 100-continue\r\n${LENGTH}\r\n${BODY}`, status: 200 },
  { text: `${WRITE} HTTP/1.1\r\n${FIELDS}Expect: something\r\n${LENGTH}\r\n${BODY}`, status: 200 },
  { text: `${WRITE} HTTP/1.1\r\n${FIELDS}${IN_CHUNKS}\r\n${chunk(BODY)}`, status: 200 },
  { text: `${WRITE} HTTP/1.1\r\n${FIELDS}${IN_CHUNKS}\r\n${chunk(SMUGGLED)}`, status: 400 },
  {
    text: `${WRITE} HTTP/1.1\r\n${FIELDS}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    status: 400,
  },
];

/** Malformed HTTP: refused with 400, and the connection closed (RFC 9112, sections 2.2, 3.2, 5.1 and 6.3). */
const MALFORMED = [
  'garbage\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0',
  `${READ} HTTP/9.9\r\n${FIELDS}\r\n`,
  `${READ} HTTP/1.1\n${FIELDS.replaceAll('\r', '')}\n`,
  `${READ} HTTP/1.1\r\n\r\n`,
  `${READ} HTTP/1.1\r\n${FIELDS}${MANY}Host: other.example\r\n\r\n`,
  `${READ} HTTP/1.1\r\n${FIELDS}X: a\r\n b\r\n\r\n`,
  `${READ} HTTP/1.1\r\n${FIELDS}X: a\0b\r\n\r\n`,
  `${READ} HTTP/1.1\r\n${FIELDS}X : a\r\n\r\n`,
  `${WRITE} HTTP/1.1\r\n${FIELDS}${LENGTH}${IN_CHUNKS}\r\n0\r\n\r\n`,
  `${WRITE} HTTP/1.1\r\n${FIELDS}${IN_CHUNKS}Transfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  `${WRITE} HTTP/1.1\r\n${FIELDS}Transfer-Encoding: gzip\r\n\r\n`,
  `${WRITE} HTTP/1.1\r\n${FIELDS}${LENGTH}Content-Length: 0\r\n\r\n${BODY}`,
  `${WRITE} HTTP/1.1\r\n${FIELDS}Content-Length: +${BODY.length}\r\n\r\n${BODY}`,
  `${WRITE} HTTP/1.1\r\n${FIELDS}${IN_CHUNKS}\r\nxyz\r\n{}\r\n0\r\n\r\n`,
  `${WRITE} HTTP/1.1\r\n${FIELDS}${IN_CHUNKS}\r\nFFFFFFFFFFFFFFFFF\r\n`,
].map((text): RawMessage => ({ text, status: 400 }));

const ENDING: readonly RawMessage[] = [
  ...MALFORMED,
  // HTTP/1.0 needs no Host.
  { text: `${READ} HTTP/1.0\r\n${AUTHORIZED}\r\n`, status: 200 },
  { text: `${READ} HTTP/1.1\r\n${FIELDS}Connection: close\r\n\r\n`, status: 200 },
  // Node drops what comes in the same packet after an upgrade that is declined.
  { text: `${READ} HTTP/1.1\r\n${FIELDS}${H2C}\r\n\r\n`, status: 200 },
  { text: `CONNECT other.example:443 HTTP/1.1\r\n${FIELDS}\r\n`, status: 404 },
  { text: `CONNECT other.example:443 HTTP/1.1\r\n${PLAIN}\r\n`, status: 401 },
  { text: `CONNECT /v1/inventory HTTP/1.1\r\n${FIELDS}\r\n`, status: 405 },
  // What comes after it is not answered any more.
  { text: `${READ} HTTP/1.1\r\n${FIELDS}Connection: close\r\n\r\n${SMUGGLED}`, status: 200 },
  { text: `${READ} HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, status: 431 },
];

async function startForStorm(): Promise<{ readonly url: string; readonly port: number }> {
  const keys = [{ key: KEY, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] as const;
  const { url, close } = await startReferenceServer({ inventory: ITEMS, keys });
  onTestFinished(close);
  return { url, port: Number(new URL(url).port) };
}

/** Sends the text in these parts, and reads until the server closes. */
async function readAll(port: number, text: string, cuts: readonly number[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (part: Buffer) => chunks.push(part));
  socket.once('end', () => socket.end());
  const closed = once(socket, 'close');
  for (const [index, end] of [...cuts, text.length].entries()) {
    await written(socket, text.slice(cuts[index - 1] ?? 0, end));
  }
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

function written(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => socket.write(Buffer.from(text, 'latin1'), () => resolve()));
}

/** The final answers, and how many rate limit headers each has. */
function answersIn(text: string, messages: readonly RawMessage[]) {
  const answers: { readonly status: number; readonly limits: number }[] = [];
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n\r\n', at);
    const head = text.slice(at, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const length = Number(/^Content-Length: (\d+)$/im.exec(head)?.[1] ?? 0);
    at = end + 4 + (messages[answers.length]?.bodiless === true ? 0 : length);
    if (status !== 100) {
      const limits = head.match(/^X-RateLimit-(?:Limit|Remaining|Reset): \d+$/gm) ?? [];
      answers.push({ status, limits: limits.length });
    }
  }
  return answers;
}

test('raw requests are answered message by message, in whatever parts they come', async () => {
  const { url, port } = await startForStorm();
  const before = fc.array(fc.constantFrom(...LASTING), { maxLength: 30, size: 'max' });
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(before, fc.constantFrom(...ENDING), cuts, async (first, last, shares) => {
      const messages = [...first, last];
      const text = messages.map((message) => message.text).join('');
      const places = shares.map((share) => Math.floor(share * text.length)).toSorted((a, b) => a - b);
      expect(answersIn(await readAll(port, text, places), messages)).toEqual(
        messages.map(({ status }) => ({ status, limits: 3 })),
      );
    }),
    { examples: ENDING.map((last): [RawMessage[], RawMessage, number[]] => [[...LASTING], last, []]) },
  );
  const after = await sendRaw(`${url}/inventory`, { key: KEY });
  expect(JSON.stringify(after.body, (_, value) => String(value))).not.toContain('"quantity":"6"');
});

test('a client that resets its connection in the midst of any byte ends nothing', async () => {
  const { url, port } = await startForStorm();
  const short = [...LASTING, ...ENDING].map(({ text }) => text).filter((text) => text.length < 100);
  for (const text of short) {
    await Promise.all(
      Array.from(text, async (_, byte) => {
        const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
        const closed = once(socket, 'close');
        await written(socket, text.slice(0, byte + 1));
        socket.resetAndDestroy();
        await closed;
      }),
    );
  }
  expect((await sendRaw(`${url}/inventory`, { key: KEY })).status).toBe(200);
});
