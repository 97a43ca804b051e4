import { expect, test } from 'vitest';

import { lockControl } from './control-lock.ts';
import { anotherProcess, temporaryState } from './journal.test-data.ts';

const CONTROL = 'http://127.0.0.1:9090';
const unaborted = new AbortController().signal;

/** A wait for the lock, and a promise of its notice that it waits. */
function waitForLock(directory: string, control = CONTROL, signal = unaborted) {
  const notice = Promise.withResolvers<string>();
  return { locked: lockControl(control, directory, signal, notice.resolve), notice: notice.promise };
}

test('another control URL has a lock of its own', async () => {
  const { path } = temporaryState();
  await lockControl(CONTROL, path, unaborted, undefined);
  await expect(lockControl('http://127.0.0.1:9091', path, unaborted, undefined)).resolves.toBeTypeOf(
    'function',
  );
});

test.each([CONTROL, 'http://localhost:9090', 'http://LOCALHOST:9090/', 'http://[::1]:9090'])(
  'two runs of one process take turns, the second under %s',
  async (control) => {
    const { path } = temporaryState();
    const order: string[] = [];
    const unlock = await lockControl(CONTROL, path, unaborted, undefined);
    const { locked, notice } = waitForLock(path, control);
    expect(await notice).toContain(control);
    order.push('first is done');
    unlock();
    const unlockSecond = await locked.then((end) => {
      order.push('second has it');
      return end;
    });
    unlockSecond();
    expect(order).toEqual(['first is done', 'second has it']);
  },
);

test('of three runs, the third waits for the second, which took over from one that was killed', async () => {
  const { path } = temporaryState();
  const other = await anotherProcess(
    { control: CONTROL, path },
    'await module.lockControl(input.control, input.path, new AbortController().signal, undefined);',
  );
  const second = waitForLock(path);
  expect(await second.notice).toMatch(/Another run .* waiting/);
  await other.kill();
  const unlock = await second.locked;
  const third = waitForLock(path);
  await third.notice;
  unlock();
  await expect(third.locked).resolves.toBeTypeOf('function');
});

test('an abort ends the wait', async () => {
  const { path } = temporaryState();
  await lockControl(CONTROL, path, unaborted, undefined);
  const controller = new AbortController();
  const { locked, notice } = waitForLock(path, CONTROL, controller.signal);
  await notice;
  controller.abort();
  await expect(locked).rejects.toThrow('aborted');
});
