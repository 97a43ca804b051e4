import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
import { anotherProcess, temporaryState } from './journal.test-data.ts';
import {
  lockControl,
  lockFolder,
  stateDirectories,
  stateOnDemand,
  UnusableState,
} from './state-directory.ts';
import { tryLock } from './system-lock.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the folder for state', () => {
  test.each([
    { own: '/var/lib/own', xdg: '/var/lib/xdg', folder: '/var/lib/own' },
    { own: undefined, xdg: '/var/lib/xdg', folder: '/var/lib/xdg/stockcheck' },
    { own: undefined, xdg: undefined, folder: join(homedir(), '.local', 'state', 'stockcheck') },
    // XDG Base Directory Specification: empty is as good as unset.
    { own: '', xdg: '', folder: join(homedir(), '.local', 'state', 'stockcheck') },
  ])('is $folder if STOCKCHECK_STATE_DIR is $own and XDG_STATE_HOME is $xdg', ({ own, xdg, folder }) => {
    vi.stubEnv('STOCKCHECK_STATE_DIR', own);
    vi.stubEnv('XDG_STATE_HOME', xdg);
    expect(stateDirectories()[0]).toBe(folder);
  });
});

/** Below a file there can be no folder, whoever one is. */
function belowAFile(): { readonly folder: string; readonly temporary: string } {
  const temporary = temporaryDirectory();
  writeFileSync(join(temporary, 'file'), '');
  return { folder: join(temporary, 'file', 'state'), temporary };
}

describe('a folder for state that cannot be written', () => {
  test('is replaced by one among the temporary files, and that is said', () => {
    const { folder, temporary } = belowAFile();
    vi.stubEnv('STOCKCHECK_STATE_DIR', undefined);
    vi.stubEnv('XDG_STATE_HOME', folder);
    vi.stubEnv('TMPDIR', temporary);
    const notices: string[] = [];
    const openState = stateOnDemand((notice) => notices.push(notice));
    expect(openState().path.startsWith(temporary)).toBe(true);
    expect(openState()).toBe(openState());
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/cannot be used .*ENOTDIR.* may be lost .* STOCKCHECK_STATE_DIR/);
  });

  test('ends the run if the user named it', () => {
    const { folder } = belowAFile();
    vi.stubEnv('STOCKCHECK_STATE_DIR', folder);
    expect(() => stateOnDemand(undefined)()).toThrow(UnusableState);
    expect(() => stateOnDemand(undefined)()).toThrow(/ENOTDIR.* STOCKCHECK_STATE_DIR/);
  });
});

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

const lockFile = () => join(lockFolder(temporaryState().path), 'some.lock');

test('a lock is held by one, in the same process too, and releasing it twice frees that of no other', () => {
  const path = lockFile();
  const first = tryLock(path);
  expect(tryLock(path)).toEqual({ state: 'held' });
  const release = first.state === 'taken' ? first.release : undefined;
  release?.();
  expect(tryLock(path).state).toBe('taken');
  release?.();
  expect(tryLock(path)).toEqual({ state: 'held' });
});

test('an empty file is no lock, and a held one takes no room on the disk', () => {
  const path = lockFile();
  writeFileSync(path, '');
  expect(tryLock(path).state).toBe('taken');
  expect(statSync(path).size).toBe(0);
});

test('what cannot be locked is unknown, not held', () => {
  const path = lockFile();
  mkdirSync(path);
  expect(tryLock(path)).toEqual({ state: 'unknown', reason: expect.stringContaining('unable to open') });
});

test('nothing is said on stderr', () => {
  const script = `import { tryLock } from ${JSON.stringify(new URL('system-lock.ts', import.meta.url).href)};
    tryLock(process.argv[1]);`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', script, '--', lockFile()],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
