import { statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { openEventLog } from './events.ts';
import { writeHistory } from './written-files.ts';

const FULL = '/dev/full';
const hasFull = statSync(FULL, { throwIfNoEntry: false })?.isCharacterDevice() === true;

test.runIf(hasFull)('a file that has no room for events ends no run, and closing it says so', () => {
  const log = openEventLog(FULL);
  log.emit({ event: 'notice', text: 'something happens' });
  log.emit({ event: 'notice', text: 'and more' });
  expect(log.close()).toMatch(/^--events \/dev\/full: ENOSPC/);
});

test.runIf(hasFull)(
  'a device that has no room for a history is no place for it, and stays what it is',
  async () => {
    await expect(writeHistory(FULL, gzipSync('{}'), { quiet: true })).rejects.toThrow(
      /^--history \/dev\/full: .*no space/,
    );
    expect(statSync(FULL).isCharacterDevice()).toBe(true);
  },
);
