import { expect, test } from 'vitest';

import { readStart, startServe } from './serve-process.test-data.ts';

test('until SIGINT the printed target answers with the printed key, and the process ends with 0', async () => {
  const { child, closed } = startServe(['--control-port', '0', '--pets', '3']);
  const rows = await readStart(child.stdout);
  const response = await fetch(`${rows.get('target')}/inventory`, {
    headers: { Authorization: `Bearer ${rows.get('free key')}` },
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toHaveLength(3);
  expect((await fetch(`${rows.get('control')}/`)).status).toBe(200);
  child.kill('SIGINT');
  expect(await closed).toEqual([0, null]);
});

test('--no-control and keys of its own, until SIGTERM', async () => {
  const { child, closed } = startServe(['--no-control', '--key', 'pro=k1', '--variant', 'no-ban']);
  const rows = await readStart(child.stdout);
  expect(rows.get('control')).toBe('none');
  const answer = await fetch(`${rows.get('target')}/inventory`, { headers: { Authorization: 'Bearer k1' } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('X-RateLimit-Limit')).toMatch(/^(?:300|10000)$/);
  await answer.body?.cancel();
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
});
