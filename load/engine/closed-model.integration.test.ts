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
import { type ConnectionBehaviour, type LoadRequest, type LoadTarget, TIMEOUT } from './load-request.ts';
import { readQuickHeaders, decodeFieldPart } from './quick-headers.ts';

const SIZED: ConnectionBehaviour = { keepsAlive: true, sendsContentLength: true };
const CLOSING: ConnectionBehaviour = { keepsAlive: false, sendsContentLength: true };

type Closed = LoadPart<CyclicLoad | MadeLoad>;

function partOf(
  source: Pick<CyclicLoad, 'source' | 'mix' | 'behaviour'> | Pick<MadeLoad, 'source' | 'next'>,
  connections: number,
  seconds: number,
): Closed {
  const load = { model: 'closed', connections, seconds, maxRate: Infinity, ...source } as const;
  return { load, share: WHOLE, startsAt: performance.now() };
}

function cycles(
  connections: number,
  mix: readonly LoadRequest[],
  behaviour: ConnectionBehaviour = SIZED,
  seconds = 0.4,
): Closed {
  return partOf({ source: 'mix', mix, behaviour }, connections, seconds);
}

interface Ran extends Told {
  readonly opened: number;
  readonly invalid: readonly string[];
}

async function run(
  target: LoadTarget,
  model: Closed,
  signal = never(),
  told: Told = tellEngine(),
): Promise<Ran> {
  const end = await runClosedModel(target, model, told.listener, signal);
  return { ...told, opened: end.connectionsOpened, invalid: end.invalid };
}

/** Requests of keys in turn; of as many connections, each begins with another. */
const KEYS = ['a', 'b', 'c', 'd'].map((secret) => sampleKey({ label: secret, secret }));
const REQUESTS = KEYS.map((key) => sampleRequest(key));

describe('over connections that stay open', () => {
  test('the server has counted what is told, up to what was under way at the end', async () => {
    const counts = new Map<string, number>();
    const sequences = new Map<unknown, string[]>();
    const url = await startHttpServer(({ headers, socket, method, url: path }, outgoing) => {
      const line = `${method} ${path} ${headers.authorization}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
      sequences.set(socket, [...(sequences.get(socket) ?? []), `${headers.authorization}`].slice(0, 8));
      outgoing.setHeader('X-Echo', `${headers.authorization}`);
      outgoing.setHeader('X-RateLimit-Remaining', '41');
      outgoing.end('[]');
    });
    const ran = await run(loadTargetAt(url), cycles(4, REQUESTS));
    const served = [...counts.values()].reduce((sum, count) => sum + count, 0);
    expect([ran.opened, sequences.size, ran.invalid, ran.losses]).toEqual([4, 4, [], []]);
    expect(ran.responses.length).toBeGreaterThan(0);
    expect(ran.responses.length).toBeLessThanOrEqual(served);
    expect(served - ran.responses.length).toBeLessThanOrEqual(4);
    expect(ran.due.length).toBeGreaterThanOrEqual(served);
    expect(ran.due.length - ran.responses.length).toBeLessThanOrEqual(4);

    // Each key as often as was served with it; each connection begins with another, and goes round.
    for (const request of REQUESTS) {
      const told = ran.responses.filter((response) => response.request === request).length;
      const seen = counts.get(`GET /v1/inventory ${request.authorization[0]}`) ?? 0;
      expect(told).toBeLessThanOrEqual(seen);
      expect(seen - told).toBeLessThanOrEqual(4);
    }
    const bearers = REQUESTS.map(({ authorization }) => authorization[0] ?? '');
    for (const sequence of sequences.values()) {
      const first = bearers.indexOf(sequence[0] ?? '');
      expect(sequence).toEqual(sequence.map((_, index) => bearers[(first + index) % 4]));
    }
    expect(new Set([...sequences.values()].map(([first]) => first))).toEqual(new Set(bearers));

    // The header section is that of the same response, and is kept as it stood on the wire.
    for (const { request, rawHeaders, status, sentAt, answeredAt } of ran.responses) {
      const echo = rawHeaders.findIndex((name) => decodeFieldPart(name) === 'X-Echo');
      expect(decodeFieldPart(rawHeaders[echo + 1])).toBe(request.authorization[0]);
      expect(readQuickHeaders(rawHeaders).remaining).toBe(41);
      expect(status).toBe(200);
      expect(answeredAt).toBeGreaterThanOrEqual(sentAt);
    }
  });

  test('updates carry their body and type', async () => {
    const seen: string[] = [];
    const url = await startHttpServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      let body = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      incoming.on('end', () => {
        seen.push(`${method} ${path} ${headers['content-type']} ${body}`);
        outgoing.end('{}');
      });
    });
    const message = {
      operation: 'updateInventory',
      method: 'PATCH',
      path: '/inventory/7',
      headers: [['Content-Type', 'application/json']],
      body: '{"quantity":3}',
    } as const;
    await run(loadTargetAt(url), cycles(1, [{ ...REQUEST, message }], SIZED, 0.3));
    expect(new Set(seen)).toEqual(new Set(['PATCH /v1/inventory/7 application/json {"quantity":3}']));
  });

  test('a connection that is closed without notice makes it invalid, and mixes up no answers', async () => {
    let served = 0;
    const url = await startHttpServer(({ headers, socket }, outgoing) => {
      served += 1;
      outgoing.setHeader('X-Echo', `${headers.authorization}`);
      if (served % 10 === 0) {
        outgoing.once('finish', () => socket.end());
      }
      outgoing.end('[]');
    });
    const ran = await run(loadTargetAt(url), cycles(4, REQUESTS));
    expect(ran.invalid).toEqual([expect.stringMatching(/^(?:A connection was|[234] connections were) lost/)]);
    expect(ran.losses.length).toBeGreaterThan(0);
    expect(ran.losses.length).toBeLessThan(served);
    expect(ran.responses.length).toBeLessThanOrEqual(served);
    for (const { request, rawHeaders } of ran.responses) {
      const echo = rawHeaders.findIndex((name) => decodeFieldPart(name) === 'X-Echo');
      expect(decodeFieldPart(rawHeaders[echo + 1])).toBe(request.authorization[0]);
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
    expect(ran.losses.map(({ cause }) => cause)).toEqual(Array(2).fill('HPE_UNASKED_RESPONSE'));
    expect(ran.invalid).toEqual([expect.stringMatching(/^2 connections were lost/)]);
    expect(ran.responses.length).toBeLessThanOrEqual(served);
  });

  const LARGE = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index));

  test.each([
    ['of many reads', LARGE],
    ['without a byte', ''],
  ])('the monitors get a body as it was sent: one %s', async (_what, sent) => {
    const url = await startHttpServer((_incoming, outgoing) => {
      outgoing.setHeader('content-length', Buffer.byteLength(sent));
      outgoing.end(sent);
    });
    const { responses } = await run(loadTargetAt(url), cycles(4, REQUESTS));
    expect(responses.length).toBeGreaterThan(0);
    expect(responses.filter(({ body }) => body?.toString() !== sent)).toEqual([]);
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

  test('if responses come in chunks, those of one connection are there for the monitors', async () => {
    const url = await startHttpServer((_incoming, outgoing) => {
      outgoing.write('[');
      outgoing.end(']');
    });
    const unsized = { keepsAlive: true, sendsContentLength: false };
    const { responses } = await run(loadTargetAt(url), cycles(4, REQUESTS, unsized));
    const whole = responses.filter(({ body }) => body !== null);
    expect(whole.length).toBeGreaterThan(0);
    expect(whole.length).toBeLessThan(responses.length);
    expect(new Set(whole.map(({ body }) => body?.toString()))).toEqual(new Set(['[]']));
  });

  test('each answer takes at least as long as the server took for it', async () => {
    const url = await startHttpServer((_incoming, outgoing) => void setTimeout(() => outgoing.end('[]'), 30));
    const ran = await run(loadTargetAt(url), cycles(4, REQUESTS, SIZED, 0.5));
    expect(ran.responses.length).toBeGreaterThan(0);
    for (const { sentAt, answeredAt } of ran.responses) {
      // A timer of the server may fire a millisecond early.
      expect(answeredAt - sentAt).toBeGreaterThanOrEqual(28);
    }
  });
});

describe('a target that stops answering', () => {
  const TIMEOUT_MILLISECONDS = 1_000;

  test.each<[string, Parameters<typeof partOf>[0]]>([
    ['autocannon', { source: 'mix', mix: REQUESTS, behaviour: SIZED }],
    [
      'autocannon and a loop',
      { source: 'mix', mix: REQUESTS, behaviour: { ...SIZED, sendsContentLength: false } },
    ],
    ['loops', { source: 'mix', mix: REQUESTS, behaviour: CLOSING }],
  ])('whatever %s sent is answered or has timed out', async (_engine, source) => {
    let served = 0;
    const url = await startHttpServer((_incoming, outgoing) => {
      served += 1;
      if (served <= 40) {
        outgoing.end('[]');
      }
    });
    const ran = await run(loadTargetAt(url, TIMEOUT_MILLISECONDS), partOf(source, 4, 0.3));
    expect([ran.responses.length, ran.invalid]).toEqual([40, []]);
    expect(ran.losses.map(({ cause }) => cause)).toEqual(Array.from({ length: 4 }, () => TIMEOUT));
    expect([ran.due.length, served]).toEqual([44, 44]);
    for (const { sentAt, givenUpAt } of ran.losses) {
      // A timer may be a little early.
      expect(givenUpAt - (sentAt ?? 0)).toBeGreaterThanOrEqual(TIMEOUT_MILLISECONDS - 10);
    }
  });

  test('for a while, is asked again over other connections', async () => {
    let served = 0;
    const url = await startHttpServer(({ headers }, outgoing) => {
      served += 1;
      if (served <= 40 || served > 44) {
        outgoing.setHeader('X-Echo', `${headers.authorization}`).end('[]');
      }
    });
    const ran = await run(loadTargetAt(url, TIMEOUT_MILLISECONDS), cycles(4, REQUESTS, SIZED, 1.5));
    expect(ran.losses.map(({ cause }) => cause)).toEqual(Array.from({ length: 4 }, () => TIMEOUT));
    expect([ran.responses.length, ran.due.length, ran.invalid]).toEqual([served - 4, served, []]);
    expect(ran.responses.length).toBeGreaterThan(44);
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
    const ran = await run(loadTargetAt(await startClosing(announces)), cycles(4, REQUESTS, CLOSING, 0.5));
    expect(ran.responses.length).toBeGreaterThan(0);
    expect(ran.invalid).toEqual([]);
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
    ['of autocannon', { source: 'mix', mix: REQUESTS, behaviour: SIZED }],
    ['of loops', { source: 'mix', mix: REQUESTS, behaviour: CLOSING }],
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
