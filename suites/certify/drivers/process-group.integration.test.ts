import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
import { isRunning, lineOf, shellClient } from './clients.test-data.ts';
import { settlesWithin, startProcessGroup } from './process-group.ts';

/** A run of its own that starts a client which never ends, and does something at SIGINT. */
function startRun(file: string, atInterruption: string) {
  const module = new URL('./exec.ts', import.meta.url).href;
  const script = `
    const { createExecDriver } = await import(${JSON.stringify(module)});
    const driver = createExecDriver({
      command: ['/bin/sh', '-c', 'sleep 600 & echo "$$ $!" > "$1"; wait', 'sh', ${JSON.stringify(file)}],
      environment: process.env,
    });
    const task = { operation: 'listInventory' };
    const order = { id: 'list', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'test-key', task };
    process.once('SIGINT', async () => { ${atInterruption} });
    const performing = driver.perform(order, new AbortController().signal);`;
  const run = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void run.kill('SIGKILL'));
  return { run, exited: once(run, 'exit') };
}

test('nothing is left of a client if the run is interrupted and closes its driver', async () => {
  const file = join(temporaryDirectory(), 'pids');
  const { run, exited } = startRun(
    file,
    `await driver.close();
      process.exitCode = (await performing).kind === 'ended' ? 3 : 4;`,
  );
  const pids = (await lineOf(file)).split(' ').map(Number);
  run.kill('SIGINT');
  expect(await exited).toEqual([3, null]);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('nothing is left of a client if the run exits without closing anything', async () => {
  const file = join(temporaryDirectory(), 'pids');
  const { run, exited } = startRun(file, 'process.exit(5);');
  const pids = (await lineOf(file)).split(' ').map(Number);
  run.kill('SIGINT');
  expect(await exited).toEqual([5, null]);
  while (pids.some(isRunning)) {
    await delay(5);
  }
});

test('a promise is waited for no longer than said', async () => {
  expect(await settlesWithin(Promise.resolve(), 60_000)).toBe(true);
  expect(await settlesWithin(Promise.withResolvers().promise, 1)).toBe(false);
});

test.runIf(existsSync('/proc/self/schedstat'))(
  'a client that shares its processors with others is known to wait for one, with its children',
  async () => {
    const busy = Array.from({ length: availableParallelism() + 1 }, () => 'while :; do :; done &').join(' ');
    const group = await startProcessGroup({
      ...shellClient(`${busy} wait`),
      stdin: 'ignore',
      onStdout: () => undefined,
      onStderr: () => undefined,
    });
    onTestFinished(group.end);
    while (group.processorDelay() < 0.1) {
      await delay(20);
    }
    await group.end();
    expect(group.processorDelay()).toBe(0);
  },
);
