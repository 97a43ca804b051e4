import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

import type { JournalRecord } from './journal-records.ts';

/** A file of records that only ever grows: one line each, a checksum in front of its JSON. */
export type RecordLog = ReturnType<typeof logOver>;

const NEWLINE = 10;

/** Begins a log; there is none of that name that does not hold its first record. @throws if it cannot be written */
export function createLog(path: string, first: JournalRecord): RecordLog {
  const draft = `${path}.draft`;
  const log = logOver(openSync(draft, 'ax+', 0o600));
  try {
    log.append(first);
    renameSync(draft, path);
    syncFolder(dirname(path));
    return log;
  } catch (error) {
    log.close();
    [path, draft].forEach((file) => rmSync(file, { force: true }));
    throw error;
  }
}

/** Goes on with a log. A last line that was cut off stays damaged, and what follows it does not. @throws */
export function reopenLog(path: string): RecordLog {
  const descriptor = openSync(path, 'a+');
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  if (size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE) {
    writeSync(descriptor, '\n');
  }
  return logOver(descriptor);
}

/** The records of a log, and how many lines have a checksum that does not hold, such as one that was cut off. @throws */
export function readLog(path: string) {
  const records: JournalRecord[] = [];
  let damaged = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const record = line === '' ? undefined : readLine(line);
    if (record !== undefined) {
      records.push(record);
    } else if (line !== '') {
      damaged += 1;
    }
  }
  return { records, damaged };
}

function logOver(descriptor: number) {
  const write = (record: JournalRecord): void => {
    const { size } = fstatSync(descriptor);
    const line = Buffer.from(lineOf(record));
    try {
      for (let written = 0; written < line.length;) {
        written += writeSync(descriptor, line, written);
      }
    } catch (error) {
      // Half a line would spoil the next one.
      ftruncateSync(descriptor, size);
      throw error;
    }
  };
  return {
    /** Adds a record; it is on the disk when this returns. @throws if it cannot be written; the log stays as it was */
    append: (record: JournalRecord): void => {
      write(record);
      fsyncSync(descriptor);
    },
    /** Adds a record that survives the end of this process, and is lost in a power failure at worst. @throws */
    appendLazily: write,
    close: (): void => closeSync(descriptor),
  };
}

function lineOf(record: JournalRecord): string {
  const text = JSON.stringify(record, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return `${checksumOf(text)} ${text}\n`;
}

function readLine(line: string): JournalRecord | undefined {
  const text = line.slice(9);
  if (line[8] !== ' ' || line.slice(0, 8) !== checksumOf(text)) {
    return undefined;
  }
  const record: JournalRecord = JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
  return record;
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** A new file is on the disk only when its folder is. */
function syncFolder(path: string): void {
  // Windows keeps folders itself, and opens none.
  if (process.platform !== 'win32') {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}
