import { statSync } from 'node:fs';

import { expect, test } from 'vitest';

import { openEventLog } from './events.ts';

const FULL = '/dev/full';
const hasFull = statSync(FULL, { throwIfNoEntry: false })?.isCharacterDevice() === true;

test.runIf(hasFull)('a file that has no room for events ends no run, and closing it says so', () => {
  const log = openEventLog(FULL);
  log.emit({ event: 'notice', text: 'something happens' });
  log.emit({ event: 'notice', text: 'and more' });
  expect(log.close()).toMatch(/^--events \/dev\/full: ENOSPC/);
});
