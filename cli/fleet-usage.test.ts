import { describe, expect, test } from 'vitest';

import { LOAD_SCENARIOS } from '../load/scenarios/index.ts';
import { runBinary } from './run-binary.test-data.ts';
import { load } from './load.test-data.ts';
import { temporaryDirectory } from './verify.test-data.ts';

const NOWHERE = 'redis://127.0.0.1:1';
const TARGET = ['http://127.0.0.1:1/v1', '--key', 'free=k1'];

describe('bad usage of a fleet is exit code 2 and names the option', () => {
  const whole = LOAD_SCENARIOS.filter(({ divisible }) => divisible !== true).map(({ id }) => id);

  test.each<[string, readonly string[]]>([
    ['--fleet takes redis://HOST:PORT', [...TARGET, '--fleet', 'http://:SECRET@host']],
    ['--fleet takes redis://HOST:PORT', [...TARGET, '--fleet', '127.0.0.1:6379']],
    ['--fleet takes a TARGET', ['--fleet', NOWHERE]],
    ['--fleet-workers has no meaning without --fleet', [...TARGET, '--fleet-workers', '3']],
    ['--fleet-workers', [...TARGET, '--fleet', NOWHERE, '--fleet-workers', '0']],
    [
      "--connections 2 of latency can't be divided among 3 workers",
      [...TARGET, '--fleet', NOWHERE, '--fleet-workers', '3', '--connections', '2', '--scenario', 'latency'],
    ],
    ...whole.map((id): [string, readonly string[]] => [
      `--fleet divides nothing but load, and ${id} is more than that; run it without --fleet`,
      [...TARGET, '--fleet', NOWHERE, '--scenario', `latency,${id}`],
    ]),
  ])('%s', async (message, words) => {
    const { exitCode, stderr, report } = await load(words);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('SECRET');
    expect([exitCode, report]).toEqual([2, null]);
  });

  test.each<[string, readonly string[]]>([
    ['worker takes --redis', []],
    ['--redis takes redis://HOST:PORT', ['--redis', 'localhost']],
    ['--name takes', ['--redis', NOWHERE, '--name', 'a b']],
  ])('worker: %s', async (message, words) => {
    const { exitCode, stderr } = await runBinary(['worker', ...words], temporaryDirectory());
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});

describe('a Redis that is not there is exit code 3 and one sentence', () => {
  test.each<[string, readonly string[]]>([
    ['worker', ['worker', '--redis', NOWHERE]],
    ['load', ['load', ...TARGET, '--fleet', NOWHERE, '--scenario', 'latency', '--quiet']],
  ])('%s', async (_command, words) => {
    const { exitCode, stderr } = await runBinary(words, temporaryDirectory());
    expect(stderr).toMatch(
      /^stockcheck: --(?:redis|fleet): Redis at 127\.0\.0\.1:1 can't be reached \(ECONNREFUSED\)\.\n$/,
    );
    expect(exitCode).toBe(3);
  });
});

test('a fleet runs what can be divided where no scenario is named', async () => {
  const { stdout, exitCode } = await load([...TARGET, '--fleet', NOWHERE, '--dry-run']);
  const named = stdout.split('\n').flatMap((line) => /^ {2}(\S+):/.exec(line)?.[1] ?? []);
  expect(named).toEqual(['latency', 'throughput']);
  expect(exitCode).toBe(0);
});
