import { describe, expect, test } from 'vitest';

import { startClosing } from '../../fixtures/load-targets.test-data.ts';
import { runClosedModel } from './closed-model.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import {
  tellEngine,
  never,
  REQUEST,
  loadTargetAt,
  startHanging,
  type Told,
  sampleKey,
  sampleRequest,
} from './engine.test-data.ts';
import { type CyclicLoad, type LoadPart, type MadeLoad, WHOLE } from './load-model.ts';
import { type LoadRequest, type LoadTarget, TIMEOUT } from './load-request.ts';
import { readQuickHeaders, decodeFieldPart } from './quick-headers.ts';

type Closed = LoadPart<CyclicLoad | MadeLoad>;

function partOf(
  source: Pick<CyclicLoad, 'source' | 'mix'> | Pick<MadeLoad, 'source' | 'next'>,
  connections: number,
  seconds: number,
): Closed {
  const load = { model: 'closed', connections, seconds, maxRate: Infinity, ...source } as const;
  return { load, share: WHOLE, startsAt: performance.now() };
}

function cycles(connections: number, mix: readonly LoadRequest[], seconds = 1): Closed {
  return partOf({ source: 'mix', mix }, connections, seconds);
}

interface Ran extends Told {
  readonly opened: number;
}

async function run(
  target: LoadTarget,
  model: Closed,
  signal = never(),
  told: Told = tellEngine(),
): Promise<Ran> {
  const end = await runClosedModel(target, model, told.listener, signal);
  return { ...told, opened: end.connectionsOpened };
}

/** Requests of keys in turn; of as many connections, each begins with another. */
const KEYS = ['a', 'b', 'c', 'd'].map((secret) => sampleKey({ label: secret, secret }));
const REQUESTS = KEYS.map((key) => sampleRequest(key));

describe('over connections that stay open', () => {
  test('the server has counted what is told, up to what was under way at the end', async () => {
    const counts = new Map<string, number>();
    const sockets = new Set<unknown>();
    const url = await startHttpServer(({ headers, socket, method, url: path }, outgoing) => {
      const line = `${method} ${path} ${headers.authorization}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
      sockets.add(socket);
      outgoing.setHeader('X-Echo', `${headers.authorization}`);
      outgoing.setHeader('X-RateLimit-Remaining', '41');
      outgoing.end('[]');
    });
    const ran = await run(loadTargetAt(url), cycles(4, REQUESTS));
    const served = [...counts.values()].reduce((sum, count) => sum + count, 0);
    expect([ran.opened, sockets.size, ran.losses]).toEqual([4, 4, []]);
    expect(ran.responses.length).toBeGreaterThan(0);
    expect(ran.responses.length).toBeLessThanOrEqual(served);
    expect(served - ran.responses.length).toBeLessThanOrEqual(4);
    expect(ran.due.length).toBeGreaterThanOrEqual(served);
    expect(ran.due.length - ran.responses.length).toBeLessThanOrEqual(4);

    // Each key as often as was served with it.
    for (const request of REQUESTS) {
      const told = ran.responses.filter((response) => response.request === request).length;
      const seen = counts.get(`GET /v1/inventory ${request.authorization[0]}`) ?? 0;
      expect(told).toBeLessThanOrEqual(seen);
      expect(seen - told).toBeLessThanOrEqual(4);
    }

    // The header section is that of the same response, and is kept as it stood on the wire.
    for (const { request, rawHeaders, status, sentAt, answeredAt } of ran.responses) {
      const echo = rawHeaders.findIndex((name) => decodeFieldPart(name) === 'X-Echo');
      expect(decodeFieldPart(rawHeaders[echo + 1])).toBe(request.authorization[0]);
      expect(readQuickHeaders(rawHeaders).remaining).toBe(41);
      expect(status).toBe(200);
      expect(answeredAt).toBeGreaterThanOrEqual(sentAt);
    }
  });

  test('a second response to one request is not taken for that to the next', async () => {
    let served = 0;
    const response = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]';
    const url = await startHttpServer(({ socket }) => {
      served += 1;
      socket.write(served % 10 === 0 ? response.repeat(2) : response);
    });
    const ran = await run(loadTargetAt(url), cycles(2, REQUESTS));
    expect(ran.responses.length).toBeLessThanOrEqual(served);
    expect(ran.opened).toBeGreaterThan(2);
  });

  test('only such bodies are kept as the monitors want', async () => {
    const url = await startHttpServer((_incoming, outgoing) => outgoing.end('[]'));
    const told = tellEngine();
    let count = 0;
    const wantsBody = (): boolean => (count += 1) % 2 === 1;
    const listener = { ...told.listener, wantsBody };
    const { responses } = await run(loadTargetAt(url), cycles(4, REQUESTS), never(), { ...told, listener });
    const kept = responses.filter(({ body }) => body !== null).length;
    expect(kept).toBeGreaterThan(0);
    expect(Math.abs(2 * kept - responses.length)).toBeLessThanOrEqual(2);
  });
});

describe('a target that stops answering', () => {
  const TIMEOUT_MILLISECONDS = 1_000;

  test('has answered whatever was sent, or it has timed out', async () => {
    let served = 0;
    const url = await startHttpServer((_incoming, outgoing) => {
      served += 1;
      if (served <= 8) {
        outgoing.end('[]');
      }
    });
    const ran = await run(loadTargetAt(url, TIMEOUT_MILLISECONDS), cycles(4, REQUESTS, 0.3));
    expect(ran.responses).toHaveLength(8);
    expect(ran.losses.map(({ cause }) => cause)).toEqual(Array.from({ length: 4 }, () => TIMEOUT));
    expect([ran.due.length, served]).toEqual([12, 12]);
    for (const { sentAt, givenUpAt } of ran.losses) {
      // A timer may be a little early.
      expect(givenUpAt - (sentAt ?? 0)).toBeGreaterThanOrEqual(TIMEOUT_MILLISECONDS - 10);
    }
  });

  test('for a while, is asked again over other connections', async () => {
    let served = 0;
    const url = await startHttpServer(({ headers }, outgoing) => {
      served += 1;
      if (served <= 8 || served > 12) {
        outgoing.setHeader('X-Echo', `${headers.authorization}`).end('[]');
      }
    });
    const ran = await run(loadTargetAt(url, TIMEOUT_MILLISECONDS), cycles(4, REQUESTS, 1.5));
    expect(ran.losses.map(({ cause }) => cause)).toEqual(Array.from({ length: 4 }, () => TIMEOUT));
    expect([ran.responses.length, ran.due.length]).toEqual([served - 4, served]);
    expect(ran.responses.length).toBeGreaterThan(12);
    for (const { request, rawHeaders } of ran.responses) {
      const echo = rawHeaders.findIndex((name) => decodeFieldPart(name) === 'X-Echo');
      expect(decodeFieldPart(rawHeaders[echo + 1])).toBe(request.authorization[0]);
    }
  });
});

describe('over connections that are closed', () => {
  test.each([
    ['with notice', true],
    ['without notice', false],
  ])('each answer is its own, %s', async (_how, announces) => {
    const ran = await run(loadTargetAt(await startClosing(announces)), cycles(4, REQUESTS, 0.5));
    expect(ran.responses.length).toBeGreaterThan(0);
    expect(new Set(ran.responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(ran.due).toHaveLength(ran.responses.length + ran.losses.length);
    const losses = ran.losses.map(({ cause }) => cause);
    expect(announces ? losses : []).toEqual([]);
    expect(ran.opened).toBeGreaterThanOrEqual(ran.responses.length);
  });

  test('a loop without a next request ends, the others go on', async () => {
    const url = await startHttpServer((_incoming, outgoing) => void outgoing.end('[]'));
    const left = [...REQUESTS, ...REQUESTS];
    const model = partOf({ source: 'made', next: () => left.shift() ?? null }, 3, 3_600);
    const ran = await run(loadTargetAt(url), model);
    const answered = ran.responses.map(({ request }) => request.key?.label ?? '');
    expect(answered.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd']);
  });
});

describe('an interruption', () => {
  test.each<[string, Parameters<typeof partOf>[0]]>([
    ['of the same requests', { source: 'mix', mix: REQUESTS }],
    ['of requests each of its own', { source: 'made', next: () => REQUEST }],
  ])('%s ends it with what was measured, and closes every connection', async (_engine, source) => {
    const { target, signal, openConnections } = await startHanging();
    const ran = await run(target, partOf(source, 4, 3_600), signal);
    // Up to one of each connection was on its way back.
    expect(ran.responses.length).toBeGreaterThanOrEqual(36);
    expect(ran.responses.length).toBeLessThanOrEqual(40);
    expect(ran.losses.length).toBeLessThanOrEqual(4);
    await expect.poll(openConnections, { timeout: 60_000 }).toBe(0);
  });
});
