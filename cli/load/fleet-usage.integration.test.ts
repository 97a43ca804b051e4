import { describe, expect, test } from 'vitest';

import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const NOWHERE = 'redis://127.0.0.1:1';
const TARGET = 'http://127.0.0.1:1/v1';

describe('a Redis that is not there is exit code 3 and one sentence', () => {
  test.each<[string, readonly string[]]>([
    ['--redis', ['worker', '--redis', NOWHERE]],
    ['--fleet', ['load', TARGET, '--fleet', NOWHERE, '--scenario', 'latency', '--quiet']],
  ])('of %s', async (option, words) => {
    const { exitCode, stdout, stderr } = await runBinary(words, temporaryDirectory(), {
      STOCKCHECK_KEY_FREE: 'k1',
    });
    expect(stderr).toBe(`stockcheck: ${option}: Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED).\n`);
    expect([exitCode, stdout]).toEqual([3, '']);
  });
});
