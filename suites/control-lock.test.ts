import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

import { lockControl } from './control-lock.ts';
import { startHelper, type HelperProcess } from './helper-process.test-data.ts';

const CONTROL = 'http://127.0.0.1:9090';
const unaborted = new AbortController().signal;

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockcheck-lock-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Another run that holds the lock until it is killed. */
async function holder(): Promise<HelperProcess> {
  const run = await startHelper(
    './control-lock.ts',
    { control: CONTROL, directory },
    'await module.lockControl(input.control, input.directory, new AbortController().signal, undefined);',
  );
  onTestFinished(() => run.kill());
  return run;
}

/** A wait for the lock, and a promise of its notice that it waits. */
function waitForLock(signal: AbortSignal) {
  const notice = Promise.withResolvers<string>();
  return { locked: lockControl(CONTROL, directory, signal, notice.resolve), notice: notice.promise };
}

test('the lock is free again once it was ended', async () => {
  const unlock = await lockControl(CONTROL, directory, unaborted, undefined);
  unlock();
  const unlockAgain = await lockControl(CONTROL, directory, unaborted, undefined);
  unlockAgain();
  expect(readdirSync(join(directory, 'locks'))).toEqual([]);
});

test('another control URL has a lock of its own', async () => {
  await lockControl(CONTROL, directory, unaborted, undefined);
  await lockControl('http://127.0.0.1:9091', directory, unaborted, undefined);
  expect(readdirSync(join(directory, 'locks'))).toHaveLength(2);
});

test('two runs of one process take turns', async () => {
  const order: string[] = [];
  const unlock = await lockControl(CONTROL, directory, unaborted, undefined);
  const { locked, notice } = waitForLock(unaborted);
  expect(await notice).toContain(CONTROL);
  order.push('first is done');
  unlock();
  const unlockSecond = await locked.then((end) => {
    order.push('second has it');
    return end;
  });
  unlockSecond();
  expect(order).toEqual(['first is done', 'second has it']);
});

test('a run waits for one that lives, and takes over from it when it died', async () => {
  const other = await holder();
  const { locked, notice } = waitForLock(unaborted);
  expect(await notice).toMatch(/Another run .* waiting/);
  await other.kill();
  const unlock = await locked;
  expect(readdirSync(join(directory, 'locks'))).toHaveLength(1);
  unlock();
});

test('an abort ends the wait', async () => {
  await lockControl(CONTROL, directory, unaborted, undefined);
  const controller = new AbortController();
  const { locked, notice } = waitForLock(controller.signal);
  await notice;
  controller.abort();
  await expect(locked).rejects.toThrow('aborted');
});

test('a lock of an earlier process with our process id is not our own', async () => {
  await lockControl(CONTROL, directory, unaborted, undefined);
  const [name = ''] = readdirSync(join(directory, 'locks'));
  const elsewhere = mkdtempSync(join(tmpdir(), 'stockcheck-lock-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const unlock = await lockControl(CONTROL, elsewhere, unaborted, undefined);
  unlock();
  // A container gives its first process the same id at each start.
  writeFileSync(join(elsewhere, 'locks', name), String(process.pid));
  const controller = new AbortController();
  const noticed = () => controller.abort(new Error('it waits for itself'));
  const taken = lockControl(CONTROL, elsewhere, controller.signal, noticed);
  await expect(taken).resolves.toBeTypeOf('function');
});
