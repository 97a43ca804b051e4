import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';

import { runSuite, type RunResult } from './run.ts';
import { resolveTargetConfig } from '../target/index.ts';

/** Runs the checks of profile safe against a server on a free port. */
async function judge(listener: RequestListener): Promise<RunResult> {
  const server = createServer(listener);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return runSuite({
    config: resolveTargetConfig({
      target: `http://127.0.0.1:${port}/v1`,
      keys: { free: ['a-good-key'] },
      profile: 'safe',
    }),
    long: false,
    banWaitSeconds: 60,
    transport: { timeoutMilliseconds: 30_000, insecure: false, certificateAuthority: null },
    headers: [],
    dryRun: false,
    signal: new AbortController().signal,
    listener: {},
  });
}

const redirectTo =
  (location: string): RequestListener =>
  (_request, response) => {
    response.writeHead(308, { Location: location }).end();
  };

test('a list that is redirected to another spelling of its path is judged', async () => {
  const { preflight, judgements, problems } = await judge(redirectTo('/v1/inventory/'));
  expect(preflight.state).toBe('ready');
  expect(problems).toContainEqual(expect.stringContaining('redirected (308) to /v1/inventory/'));
  const list = judgements.find(({ id }) => id === 'list-succeeds');
  expect(list).toMatchObject({ outcome: 'fail' });
  expect(list?.findings[0]?.message).toContain('was answered 308, not 200');
});

test.each([
  ['https://shop.test/v1/inventory', 'Use https://shop.test/v1 as the target.'],
  ['/v2/inventory', '/v2 as the target.'],
  ['/login', 'which is no inventory'],
])('a redirect to %s tells a wrong base address', async (location, advice) => {
  const { preflight } = await judge(redirectTo(location));
  expect(preflight).toMatchObject({
    state: 'wrong-base-path',
    message: expect.stringContaining(advice),
  });
});
