import type { RequestListener } from 'node:http';

import { expect, test } from 'vitest';

import { probeConnection } from './connection-probe.ts';
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
  const target = loadTargetAt(await startHttpServer(answer));
  expect(await probeConnection({ target }, [REQUEST, REQUEST, REQUEST])).toEqual(behaviour);
  // As with a single key.
  expect(await probeConnection({ target }, [REQUEST])).toEqual(behaviour);
});
