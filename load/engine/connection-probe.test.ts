import type { RequestListener } from 'node:http';

import { expect, test } from 'vitest';

import { probeConnection, PROBES } from './connection-probe.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { REQUEST, loadTargetAt } from './engine.test-data.ts';

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
  expect(await probeConnection({ target }, [REQUEST, REQUEST, REQUEST], spend)).toEqual(behaviour);
  // As with a single key.
  expect(await probeConnection({ target }, [REQUEST], spend)).toEqual(behaviour);
  expect([spent, served]).toEqual([2 * PROBES, 2 * PROBES]);
});
