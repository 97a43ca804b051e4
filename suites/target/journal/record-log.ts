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

import { parseIfJson, stringifyJson, type JsonValue } from '../../../contract/json/index.ts';

/** A file of records that only ever grows: one line each, a checksum in front of its JSON. */
export interface RecordLog {
  /** Adds a record; it is on the disk when this returns. @throws if it cannot be written; the log stays as it was */
  append(record: JsonValue): void;
  /** Adds a record that survives the end of this process, and is lost in a power failure at worst. @throws */
  appendLazily(record: JsonValue): void;
  close(): void;
  /** Closes it and deletes the file. */
  remove(): void;
}

/** What a log holds. */
export interface LogContents {
  readonly records: readonly JsonValue[];
  /** Lines whose checksum does not hold, such as one that was cut off. */
  readonly damaged: number;
}

const NEWLINE = 10;

/** Begins a log; there is none of that name that does not hold its first record. @throws if it cannot be written */
export function createLog(path: string, first: JsonValue): RecordLog {
  const draft = `${path}.draft`;
  const log = logOver(openSync(draft, 'ax+', 0o600), path);
  try {
    log.append(first);
    renameSync(draft, path);
    syncFolder(dirname(path));
    return log;
  } catch (error) {
    log.remove();
    rmSync(draft, { force: true });
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
  return logOver(descriptor, path);
}

/** @throws if it cannot be read */
export function readLog(path: string): LogContents {
  const records: JsonValue[] = [];
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

function logOver(descriptor: number, path: string): RecordLog {
  let open = true;
  const close = (): void => {
    if (open) {
      open = false;
      closeSync(descriptor);
    }
  };
  const write = (record: JsonValue): void => {
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
    append: (record) => {
      write(record);
      fsyncSync(descriptor);
    },
    appendLazily: write,
    close,
    remove: () => {
      close();
      rmSync(path, { force: true });
    },
  };
}

function lineOf(record: JsonValue): string {
  const text = stringifyJson(record);
  return `${checksumOf(text)} ${text}\n`;
}

function readLine(line: string): JsonValue | undefined {
  const text = line.slice(9);
  return line[8] === ' ' && line.slice(0, 8) === checksumOf(text) ? parseIfJson(text) : undefined;
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
