import type { RequestListener } from 'node:http';

import { expect, test } from 'vitest';

import { probeConnection, PROBES, limitText } from './throughput.ts';
import { idleClient } from '../judging/replay.test-data.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { REQUEST, loadTargetAt, sampleKey, sampleRequest } from '../engine/engine.test-data.ts';

const sized: RequestListener = (_incoming, outgoing) => outgoing.end('[]');
const chunked: RequestListener = (_incoming, outgoing) => {
  outgoing.write('[');
  outgoing.end(']');
};
const closing: RequestListener = (_incoming, outgoing) => {
  outgoing.setHeader('Connection', 'close');
  outgoing.end('[]');
};

test.each([
  ['that keeps its connections', sized, { keepsAlive: true, sendsContentLength: true }],
  ['that answers in chunks', chunked, { keepsAlive: true, sendsContentLength: false }],
  ['that closes after each response', closing, { keepsAlive: false, sendsContentLength: true }],
])('knows a target %s', async (_what, answer, behaviour) => {
  let served = 0;
  const url = await startHttpServer((...call) => {
    served += 1;
    answer(...call);
  });
  const target = loadTargetAt(url);
  let spent = 0;
  const spend = (...given: readonly unknown[]): void => {
    // Whoever counts may take a number of requests.
    expect(given).toEqual([]);
    spent += 1;
  };
  const session = { target, client: idleClient() };
  expect(await probeConnection(session, [REQUEST, REQUEST, REQUEST], spend)).toEqual(behaviour);
  // As with a single key.
  expect(await probeConnection(session, [REQUEST], spend)).toEqual(behaviour);
  expect([spent, served]).toEqual([2 * PROBES, 2 * PROBES]);
});

test('sends nothing after a 429 with a key that is to be spared', async () => {
  let served = 0;
  const url = await startHttpServer((_incoming, outgoing) => {
    served += 1;
    outgoing.writeHead(served < 3 ? 200 : 429, { 'Retry-After': '30' }).end();
  });
  const key = sampleKey({ isSpared: true });
  const client = idleClient();
  await probeConnection({ target: loadTargetAt(url), client }, [sampleRequest(key)], () => {});
  expect(served).toBe(3);
  expect(key.usage.retryAt).toBeGreaterThan(client.time.now());
});

const AT_4000 = { measurement: { achievedRate: 4_000 }, busyShare: 0.4, waitedShare: 0 };

test.each([
  ['a rate near the ceiling', { ...AT_4000, waitedShare: 0.8 }, 4_200, 1, /^The ceiling of 4200\/s limited/],
  ['a long wait for the ceiling', { ...AT_4000, waitedShare: 0.8 }, 8_000, 1, /stood still now and then/],
  ['a generator that waited', AT_4000, 100_000, 1, /^The target limited the rate/],
  ['a busy generator', { ...AT_4000, busyShare: 0.95 }, 100_000, 1, /generator was busy.+--threads shares/],
  ['a busy generator that is paced', { ...AT_4000, busyShare: 0.95 }, 50_000, 2, /--max-rate of 120000/],
])('%s names the limit that the rate met', (_what, met, maxRate, threads, text) => {
  expect(limitText(met, { maxRate, threads })).toMatch(text);
});
