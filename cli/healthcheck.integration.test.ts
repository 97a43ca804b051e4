import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { startHttpServer } from '../fixtures/loopback.test-data.ts';
import { endOfBinary } from './run-binary.test-data.ts';
import { startTarget } from './verify/run.test-data.ts';

const SCRIPT = fileURLToPath(new URL('../deploy/healthcheck.js', import.meta.url));

/** Runs the health check of the image, and returns its exit code and what it printed. */
async function check(base: string): Promise<readonly [exitCode: unknown, output: string]> {
  const child = spawn(process.execPath, [SCRIPT, base], { stdio: ['ignore', 'pipe', 'pipe'] });
  const { exitCode, stdout, stderr } = await endOfBinary(child);
  return [exitCode, (stdout + stderr).trim()];
}

test('a service that asks for a key is healthy', async () => {
  const { server } = await startTarget();
  expect(await check(server.url)).toEqual([0, '']);
});

test('a service that is there but cannot work is not', async () => {
  const limits = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '60', 'X-RateLimit-Reset': '1' };
  const target = await startHttpServer((_request, response) => {
    response.writeHead(503, limits).end('{}');
  });
  expect(await check(target)).toEqual([1, 'status 503']);
});

test('another server that answers 401 is not', async () => {
  const target = await startHttpServer((_request, response) => {
    response.writeHead(401).end();
  });
  expect(await check(target)).toEqual([
    1,
    'status 401, no x-ratelimit-limit, no x-ratelimit-remaining, no x-ratelimit-reset',
  ]);
});

test('nobody is not', async () => {
  const [exitCode, output] = await check('http://127.0.0.1:9/v1');
  expect(exitCode).toBe(1);
  expect(output).toContain('ECONNREFUSED');
});
