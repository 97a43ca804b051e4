import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { temporaryState } from './journal.test-data.ts';
import { lockFolder } from './state-directory.ts';
import { tryLock } from './system-lock.ts';

const lockFile = () => join(lockFolder(temporaryState().path), 'some.lock');

test('a lock is held by one, in the same process too, and is free again once it was released', () => {
  const path = lockFile();
  const first = tryLock(path);
  expect(tryLock(path)).toEqual({ state: 'held' });
  if (first.state === 'taken') {
    first.release();
  }
  expect(tryLock(path).state).toBe('taken');
});

test('releasing twice does not free the lock of the next holder', () => {
  const path = lockFile();
  const first = tryLock(path);
  if (first.state === 'taken') {
    first.release();
  }
  const second = tryLock(path);
  if (first.state === 'taken') {
    first.release();
  }
  expect(second.state).toBe('taken');
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
