import { tmpdir } from 'node:os';

import { describe, expect, test } from 'vitest';

import { freshNamespace, obstacle, useRedis } from '../../reference-server/shared-store/servers.test-data.ts';
import { runBinary } from '../run-binary.test-data.ts';
import { wordsFor } from '../verify/run.test-data.ts';
import { readStart, startServe } from './serve-process.test-data.ts';

describe.skipIf(obstacle !== null)('two processes of serve --store', () => {
  const redis = useRedis({ isDurable: false });

  test('conform by the whole suite, with the control contract of the other', async () => {
    const sharing = ['--control-port', '0', '--store', redis().url, '--store-namespace', freshNamespace()];
    const started = [startServe(sharing), startServe(sharing)];
    const [one, other] = await Promise.all(started.map(({ child }) => readStart(child.stdout)));
    const words = wordsFor({ controlUrl: other?.get('control') ?? '' });
    const judged = ['verify', one?.get('target') ?? '', '--profile', 'full', ...words];
    const result = await runBinary(judged, tmpdir());
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('conformant') });
    started.forEach(({ child }) => child.kill('SIGTERM'));
  });
});

test('a Redis that is not there is one message and exit code 2', async () => {
  const store = ['--store', 'redis://:secret@127.0.0.1:1'];
  const result = await runBinary(['serve', '--port', '0', '--control-port', '0', ...store], tmpdir());
  expect(result).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `stockcheck: --store redis://…@127.0.0.1:1: Redis cannot be used: connect ECONNREFUSED 127.0.0.1:1\n`,
  });
});
