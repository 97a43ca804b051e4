import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { freshNamespace, obstacle, useRedis } from '../../reference-server/shared-store/servers.test-data.ts';
import { isRunning } from '../../suites/certify/drivers/clients.test-data.ts';
import { runBinary } from '../run-binary.test-data.ts';
import { wordsFor } from '../verify/run.test-data.ts';
import { readStart, startServe } from './serve-process.test-data.ts';

/** The processes that a process has started. */
function childrenOf(pid: number | undefined): readonly number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}

describe.skipIf(obstacle !== null)('serve --workers 2 --store', () => {
  const redis = useRedis({ isDurable: false });
  const sharing = (): readonly string[] => [
    '--workers',
    '2',
    '--store',
    redis().url,
    '--store-namespace',
    freshNamespace(),
  ];

  test('conforms by the whole suite', async () => {
    const { child } = startServe(['--control-port', '0', ...sharing()]);
    const rows = await readStart(child.stdout);
    expect(rows.get('processes')).toBe('2');
    const words = wordsFor({ controlUrl: rows.get('control') ?? '' });
    const result = await runBinary(
      ['verify', rows.get('target') ?? '', '--profile', 'full', ...words],
      tmpdir(),
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('conformant') });
    child.kill('SIGTERM');
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('%s ends all of its processes', async (signal) => {
    const { child, closed } = startServe(['--control-port', '0', ...sharing()]);
    await readStart(child.stdout);
    const workers = childrenOf(child.pid);
    expect(workers).toHaveLength(2);
    child.kill(signal);
    expect(await closed).toEqual(signal === 'SIGKILL' ? [null, 'SIGKILL'] : [0, null]);
    while (workers.some(isRunning)) {
      await sleep(10);
    }
  });

  test('a process that ends takes the others with it, and is reported', async () => {
    const { child, closed } = startServe(['--control-port', '0', ...sharing()]);
    const said = text(child.stderr);
    await readStart(child.stdout);
    const workers = childrenOf(child.pid);
    process.kill(workers[0] ?? Number.NaN, 'SIGKILL');
    expect(await closed).toEqual([3, null]);
    expect(await said).toBe(
      `stockcheck: process ${workers[0]} of the server has ended by SIGKILL; none is started in its place, so the server ends\n`,
    );
    expect(workers.some(isRunning)).toBe(false);
  });
});

test('a Redis that is not there is one message and exit code 2, from several processes, too', async () => {
  for (const words of [[], ['--workers', '2']]) {
    const store = ['--store', 'redis://:secret@127.0.0.1:1'];
    const result = await runBinary(
      ['serve', '--port', '0', '--control-port', '0', ...store, ...words],
      tmpdir(),
    );
    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `stockcheck: --store redis://…@127.0.0.1:1: Redis cannot be used: connect ECONNREFUSED 127.0.0.1:1\n`,
    });
  }
});
