import type { DatabaseSync } from 'node:sqlite';

import { messageOf } from '../../../contract/error-text.ts';

/** What came of trying to take a lock. */
export type LockAttempt =
  | { readonly state: 'taken'; readonly release: () => void }
  /** A process that still runs has it, or another holder in this one. */
  | { readonly state: 'held' }
  /** It cannot be told, such as on a file system without locks. */
  | { readonly state: 'unknown'; readonly reason: string };

/** SQLITE_BUSY, the low byte of SQLite's error codes. */
const BUSY = 5;

/** Connections that hold a lock: one that nobody refers to would be closed, and its lock freed. */
const holding = new Set<DatabaseSync>();

/**
 * Tries to take the lock of that file, which is made if it is missing and stays empty. The operating system frees
 * it when the process ends, however it ends, so no process id and no host name is asked. SQLite brings the locks:
 * an open exclusive transaction is one, between processes and within one. Nothing else may open that file: closing it
 * would free the lock (POSIX, fcntl).
 */
export function tryLock(path: string): LockAttempt {
  let connection: DatabaseSync | undefined;
  try {
    const { DatabaseSync } = loadSqlite();
    connection = new DatabaseSync(path, { timeout: 0 });
    // No file beside it for undoing a transaction that changes nothing.
    connection.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    connection?.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
    return code % 256 === BUSY ? { state: 'held' } : { state: 'unknown', reason: messageOf(error) };
  }
  const held = connection;
  holding.add(held);
  return {
    state: 'taken',
    release: () => {
      if (holding.delete(held)) {
        held.close();
      }
    },
  };
}

/** Node 22 says on stderr that node:sqlite is experimental; what is used of it here is not. */
function loadSqlite() {
  const usual: unknown = Reflect.get(process, 'emitWarning');
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    Reflect.set(process, 'emitWarning', usual);
  }
}
