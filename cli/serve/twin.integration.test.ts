import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { compareReports, type VerifyReport } from '../../reports/index.ts';
import { verify } from '../library/verify/verify.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { readStart, startServe, startServeProcess } from './serve-process.test-data.ts';

async function judge(words: readonly string[]): Promise<VerifyReport> {
  return verify({ ...(await startServeProcess(words)), profile: 'full' });
}

function written(report: unknown): string {
  const path = join(temporaryDirectory(), 'service.json');
  writeFileSync(path, JSON.stringify(report));
  return path;
}

describe('a twin', () => {
  test('is judged as the service was, and observed to do the same', async () => {
    const choices = 'sliding-log,ban-by-403,errors-with-nested-members,pet-ids-with-leading-zeros';
    const service = await judge(['--variant', choices]);
    const path = written(service);
    const twin = await judge(['--like', path]);
    expect(service.verdict).toBe('conformant');
    expect(compareReports(service, twin)).toMatchObject({ requirements: [], observations: [] });
    expect(twin.fingerprint).toBe(service.fingerprint);

    const { child } = startServe(['--control-port', '0', '--like', path]);
    const rows = await readStart(child.stdout);
    expect(rows.get('like')).toMatch(/^.*service\.json: (\d+) of \1 observations alike$/);
    expect(rows.get('not told apart')).toContain('latency');
  });
});

test('a twin with --latency is at least as slow as the service was', async () => {
  const started = await startServeProcess(['--variant', 'slow-150-milliseconds']);
  const service = await verify({ ...started, profile: 'safe' });
  const { responseTimes } = service;
  expect(responseTimes?.p50).toBeGreaterThanOrEqual(150);
  expect(responseTimes?.p95).toBeGreaterThanOrEqual(responseTimes?.p50 ?? Infinity);
  const twin = await startServeProcess(['--like', written(service), '--latency']);
  expect((await verify({ ...twin, profile: 'safe' })).responseTimes?.p50).toBeGreaterThanOrEqual(
    Math.floor(responseTimes?.p50 ?? Infinity),
  );
});

test('a report that does not say how long responses took makes no slow twin', async () => {
  const { responseTimes: _, ...service } = await verify({
    ...(await startServeProcess([])),
    profile: 'safe',
  });
  const result = await runBinary(['serve', '--like', written(service), '--latency'], temporaryDirectory());
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.stderr).toMatch(
    /^stockcheck: --latency: .*service\.json does not say how long responses took/,
  );
});

describe('what no twin can be made of', () => {
  test.each([
    ['a rival option', ['--no-ban'], '--like and --no-ban exclude each other'],
    ['a file that is not there', [], 'service.json'],
  ])('%s is one message and exit code 2', async (_, words, message) => {
    const result = await runBinary(['serve', '--like', 'service.json', ...words], temporaryDirectory());
    expect(result.exitCode).toBe(2);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain(message);
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
  });
});
