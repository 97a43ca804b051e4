import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { temporaryState } from './journal.test-data.ts';
import type { JournalRecord } from './journal-records.ts';
import { createLog, readLog, reopenLog } from './record-log.ts';
import { journalFolder } from './state-directory.ts';

const RECORDS = [
  { type: 'release', petIds: [9_223_372_036_854_775_807n, -1n] },
  { type: 'run', target: 'a\nb €', startedAt: '1n ' },
  { type: 'inventory-restored' },
] as const satisfies readonly JournalRecord[];

function writtenLog(): string {
  const path = join(journalFolder(temporaryState().path), 'some.log');
  const [first, ...others] = RECORDS;
  const log = createLog(path, first);
  others.forEach((record) => log.append(record));
  log.close();
  return path;
}

test('a log holds what was added, to the last digit', () => {
  expect(readLog(writtenLog())).toEqual({ records: RECORDS, damaged: 0 });
});

test('wherever a log is cut off, what is whole is read, and what is not is told', () => {
  const path = writtenLog();
  const whole = readFileSync(path);
  const ends = [...whole.entries()].filter(([, byte]) => byte === 10).map(([index]) => index);
  for (let length = 1; length <= whole.length; length += 1) {
    writeFileSync(path, whole);
    truncateSync(path, length);
    const { records, damaged } = readLog(path);
    const complete = ends.filter((end) => end <= length);
    expect(records).toEqual(RECORDS.slice(0, complete.length));
    expect(damaged).toBe(ends.includes(length - 1) || ends.includes(length) ? 0 : 1);
  }
});

test('one byte that is not what it was spoils its record and no other', () => {
  const path = writtenLog();
  const whole = readFileSync(path);
  fc.assert(
    fc.property(fc.nat({ max: whole.length - 2 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const spoiled = Buffer.from(whole);
      spoiled[at] = (whole[at] ?? 0) ^ change;
      writeFileSync(path, spoiled);
      const { records, damaged } = readLog(path);
      expect(damaged).toBeGreaterThan(0);
      expect(records.length).toBeGreaterThanOrEqual(RECORDS.length - 2);
    }),
    { numRuns: 300 },
  );
});

test('a log that was cut off can be gone on with', () => {
  const path = writtenLog();
  truncateSync(path, readFileSync(path).length - 3);
  const log = reopenLog(path);
  log.append(RECORDS[2]);
  log.close();
  expect(readLog(path)).toEqual({ records: RECORDS, damaged: 1 });
});

test('a record that does not fit on the disk is not written at all, and the next one is whole', () => {
  const path = join(journalFolder(temporaryState().path), 'some.log');
  const module = JSON.stringify(new URL('record-log.ts', import.meta.url).href);
  const script = `import { createLog } from ${module};
    const log = createLog(process.argv[1], 'first');
    try { log.append('x'.repeat(1e6)); } catch (error) { log.append(error.code); }`;
  // Files of this shell's processes stay below a size, as those on a full disk do.
  const command = 'ulimit -f 100; exec "$0" --input-type=module --eval "$1" -- "$2"';
  const { status } = spawnSync('sh', ['-c', command, process.execPath, script, path]);
  expect(status).toBe(0);
  expect(readLog(path)).toEqual({ records: ['first', 'EFBIG'], damaged: 0 });
});

test('a line without its checksum is no record', () => {
  const path = writtenLog();
  appendFileSync(path, '{"type":"release","petIds":[1]}\n00000000 {}\n');
  expect(readLog(path)).toEqual({ records: RECORDS, damaged: 2 });
});
