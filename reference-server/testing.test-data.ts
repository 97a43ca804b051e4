import { connect } from 'node:net';

import { onTestFinished } from 'vitest';

import type { InventoryItem } from '../contract/inventory.ts';
import { readRateLimit, type RateLimit } from '../contract/rate-limit-headers.ts';
import { isJsonObject, parseJson, type JsonValue } from '../contract/json/index.ts';
import type { HeaderField } from '../contract/verdict.ts';
import { LIST_REQUEST, type ServiceRequest } from './service/messages.ts';
import { startReferenceServer, type ReferenceServerOptions, type RunningServer } from './start.ts';

export const FREE_KEY = 'free-test-key';
const OTHER_FREE_KEY = 'other-free-test-key';
export const REVOKED_KEY = 'revoked-test-key';

export const ITEMS: readonly InventoryItem[] = [
  { petId: 1n, quantity: 7, status: 'available' },
  { petId: 9_007_199_254_740_993n, quantity: 3, status: 'sold' },
  { petId: 9_223_372_036_854_775_807n, quantity: 0, status: 'pending' },
];

export interface Received {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  readonly body: JsonValue | undefined;
}

/** Three pets and three Free keys. */
export const SMALL_SERVICE = {
  inventory: ITEMS,
  keys: [
    { key: FREE_KEY, plan: 'free' },
    { key: OTHER_FREE_KEY, plan: 'free' },
    { key: REVOKED_KEY, plan: 'free', revoked: true },
  ],
} satisfies ReferenceServerOptions;

/** A request for the list, as the service gets it. */
export function listRequest(...headers: readonly string[]): ServiceRequest {
  return { ...LIST_REQUEST, headers };
}

/** Starts a server with three pets and three Free keys, which is closed at the end of the test. */
export async function startForTest(options: ReferenceServerOptions = {}): Promise<RunningServer> {
  const server = await startReferenceServer({ ...SMALL_SERVICE, ...options });
  onTestFinished(() => server.close());
  return server;
}

export async function sendRaw(
  url: string,
  {
    method = 'GET',
    key = FREE_KEY,
    body,
  }: { method?: string; key?: string; body?: string | Uint8Array } = {},
): Promise<Received> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: [...response.headers],
    body: text === '' ? undefined : parseJson(text),
  };
}

/** Asks the control contract. */
export async function order(
  server: RunningServer,
  call: string,
  body?: JsonValue,
): Promise<{ status: number; body: JsonValue | undefined }> {
  const [method = '', path = ''] = call.split(' ');
  const response = await fetch(server.controlUrl + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : parseJson(text) };
}

export async function issueKey(server: RunningServer, wanted: JsonValue): Promise<string> {
  const { body } = await order(server, 'POST /keys', wanted);
  const key = member(body, 'key');
  if (typeof key !== 'string') {
    throw new TypeError(`No key in ${JSON.stringify(body)}`);
  }
  return key;
}

export async function advance(server: RunningServer, advanceSeconds: number): Promise<void> {
  await order(server, 'POST /clock', { advanceSeconds });
}

export async function readNow(server: RunningServer): Promise<number> {
  const { body } = await order(server, 'GET /');
  return Number(member(body, 'now'));
}

export function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

export function fieldOf(received: Pick<Received, 'headers'>, name: string): string | undefined {
  return received.headers.find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1];
}

/** The three headers. @throws if one is missing, repeated or malformed */
export function rateLimit(received: Pick<Received, 'headers'>): RateLimit {
  const reading = readRateLimit(received.headers);
  if (reading === undefined) {
    throw new Error(`No readable rate limit in ${JSON.stringify(received.headers)}`);
  }
  return reading;
}

/**
 * Writes text to a new connection and reads until the server closes it.
 * @throws if the connection is reset
 */
export async function exchangeText(url: string, ...texts: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  for (const text of texts) {
    socket.write(text);
  }
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
  }
  socket.end();
  return received;
}

/** Splits responses that stand one after the other; each has a Content-Length. */
export function readResponses(text: string): readonly Received[] {
  const responses: Received[] = [];
  let rest = text;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const headers = lines.map((line): HeaderField => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const bodyEnd = headEnd + 4 + Number(fieldOf({ headers }, 'Content-Length') ?? 0);
    const body = rest.slice(headEnd + 4, bodyEnd);
    responses.push({
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: body === '' ? undefined : parseJson(body),
    });
    rest = rest.slice(bodyEnd);
  }
  return responses;
}
