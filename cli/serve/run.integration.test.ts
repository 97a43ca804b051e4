import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';

import { describe, expect, test } from 'vitest';

import { describeServer } from './describe-server.ts';
import { runBinary } from '../run-binary.test-data.ts';
import { readStart, startServe } from './serve-process.test-data.ts';

describe.each(['SIGINT', 'SIGTERM'] as const)('until %s', (signal) => {
  test('the printed target answers with the printed key, and the process ends with 0', async () => {
    const { child, closed } = startServe(['--control-port', '0', '--pets', '3']);
    const rows = await readStart(child.stdout);
    const response = await fetch(`${rows.get('target')}/inventory`, {
      headers: { Authorization: `Bearer ${rows.get('free key')}` },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveLength(3);
    expect((await fetch(`${rows.get('control')}/`)).status).toBe(200);
    child.kill(signal);
    expect(await closed).toEqual([0, null]);
  });
});

test('--no-control and keys of its own', async () => {
  const { child, closed } = startServe(['--no-control', '--key', 'pro=k1', '--no-ban']);
  const rows = await readStart(child.stdout);
  expect(rows.get('control')).toBe('none');
  const answer = await fetch(`${rows.get('target')}/inventory`, { headers: { Authorization: 'Bearer k1' } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('X-RateLimit-Limit')).toMatch(/^(?:300|10000)$/);
  await answer.body?.cancel();
  child.kill('SIGTERM');
  await closed;
});

test.each(['--port', '--control-port'])(
  'a %s that is in use is one message and exit code 2',
  async (option) => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    const port = typeof address === 'object' && address !== null ? `${address.port}` : '';
    const free = option === '--port' ? '--control-port' : '--port';
    const result = await runBinary(['serve', option, port, free, '0'], tmpdir());
    blocker.close();
    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `stockcheck: ${option}: port ${port} is in use; choose another, or 0 for any that is free\n`,
    });
  },
);

test('the way to judge it names target, key and control', () => {
  const keys = [
    { key: 'k0', plan: 'free', revoked: true },
    { key: 'k1', plan: 'pro' },
  ] as const;
  expect(describeServer('http://127.0.0.1:8080/v1', 'http://127.0.0.1:9090', keys)).toContain(
    "stockcheck verify http://127.0.0.1:8080/v1 --key 'pro=k1' --control http://127.0.0.1:9090\n",
  );
});
