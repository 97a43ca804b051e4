import { randomUUID, createHash } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { messageOf } from '../../../contract/error-text.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { makeFolder } from '../../../contract/make-folder.ts';
import { tryLock } from './system-lock.ts';
import { possibleIdentity } from './target-identity.ts';

/** Where journals and locks are. */
export interface StateDirectory {
  /** Takes new files. */
  readonly path: string;
  /** May hold files of other runs. */
  readonly all: readonly string[];
}

// As much as the first records of a journal take.
const PROBE_BYTES = 8192;

export function journalFolder(directory: string): string {
  return join(directory, 'journal');
}

export function lockFolder(directory: string): string {
  return join(directory, 'locks');
}

/** Folder for state: STOCKCHECK_STATE_DIR, else stockcheck/ in XDG_STATE_HOME or ~/.local/state. */
function stateDirectory(): string {
  const { STOCKCHECK_STATE_DIR: own, XDG_STATE_HOME: xdg } = process.env;
  if (isSet(own)) {
    return own;
  }
  return join(isSet(xdg) ? xdg : join(homeDirectory(), '.local', 'state'), 'stockcheck');
}

/** Folders that may hold journals of other runs, whether they exist or not. */
export function stateDirectories(): readonly string[] {
  return isSet(process.env['STOCKCHECK_STATE_DIR']) ? [stateDirectory()] : [stateDirectory(), fallback()];
}

/**
 * Finds a folder for state that can be written, synced and locked: without STOCKCHECK_STATE_DIR also one among the
 * temporary files.
 * @throws {ConfigurationError} if there is none
 */
function openStateDirectory(onNotice: ((notice: string) => void) | undefined): StateDirectory {
  const all = stateDirectories();
  const failures: string[] = [];
  for (const path of all) {
    const reason = whyUnusable(path, path !== all[0]);
    if (reason === null) {
      if (failures.length > 0) {
        onNotice?.(
          `${failures.join(' ')} The journal is in ${path} instead, and may be lost when this machine restarts; STOCKCHECK_STATE_DIR names a folder that lasts.`,
        );
      }
      return { path, all };
    }
    failures.push(`${path} cannot be used for the journal (${reason}).`);
  }
  throw new UnusableState(failures.join(' '));
}

/** The folder for state, opened when it is first asked for. */
export function stateOnDemand(onNotice: ((notice: string) => void) | undefined): () => StateDirectory {
  let opened: StateDirectory | undefined;
  return () => (opened ??= openStateDirectory(onNotice));
}

/** The journal cannot be written, so nothing that it would have to hold may be changed. Exit code 2. */
export class UnusableState extends ConfigurationError {
  override name = 'UnusableState';

  /** @param what failed, as a sentence */
  constructor(what: string) {
    super(
      `${what} Each quantity is written down there before it is changed; what cannot be written down is not changed. Set STOCKCHECK_STATE_DIR to a writable folder on a disk with room.`,
    );
  }
}

/** The reason why the system refused a file, such as `ENOSPC: no space left on device`. */
export function reasonOfFile(error: unknown): string {
  const message = messageOf(error);
  return message.replace(/, \w+(?: '.*')?(?: -> '.*')?$/, '');
}

function isSet(folder: string | undefined): folder is string {
  return folder !== undefined && folder !== '';
}

/** A user without an entry in the system's list, as in some containers, may have no home. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return tmpdir();
  }
}

function fallback(): string {
  return join(tmpdir(), `stockcheck-${process.getuid?.() ?? userInfo().username}`);
}

/** Why a folder cannot be written, synced and locked, or `null`. */
function whyUnusable(path: string, isShared: boolean): string | null {
  const probe = join(journalFolder(path), `probe-${randomUUID()}`);
  try {
    for (const folder of [path, journalFolder(path), lockFolder(path)]) {
      makeFolder(folder, 0o700);
    }
    if (isShared && !isOwn(path)) {
      return 'it belongs to another user';
    }
    try {
      const descriptor = openSync(probe, 'wx', 0o600);
      try {
        writeSync(descriptor, Buffer.alloc(PROBE_BYTES, '\n'));
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } finally {
      rmSync(probe, { force: true });
    }
    const lock = tryLock(join(lockFolder(path), 'probe.lock'));
    if (lock.state === 'taken') {
      lock.release();
    }
    return lock.state === 'unknown' ? `no lock can be taken in it: ${lock.reason}` : null;
  } catch (error) {
    return reasonOfFile(error);
  }
}

/** Anyone may make a folder among the temporary files. */
function isOwn(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

const POLL_MILLISECONDS = 100;

/**
 * Two runs that move the clock of one target would spoil each other's windows, so the second on this machine waits
 * for the first.
 * @param directory a folder for state that is there
 * @returns what ends the lock; its file stays, since deleting it could free another run's
 */
export async function lockControl(
  control: string,
  directory: string,
  signal: AbortSignal,
  onNotice: ((notice: string) => void) | undefined,
): Promise<() => void> {
  const name = createHash('sha256').update(possibleIdentity(control)).digest('hex').slice(0, 16);
  const path = join(lockFolder(directory), `control-${name}.lock`);
  let announced = false;
  for (;;) {
    signal.throwIfAborted();
    const lock = tryLock(path);
    if (lock.state === 'taken') {
      return lock.release;
    }
    if (lock.state === 'unknown') {
      throw new UnusableState(`The lock ${path} cannot be taken (${lock.reason}).`);
    }
    if (!announced) {
      announced = true;
      onNotice?.(`Another run uses the control URL ${control}; waiting until it is done.`);
    }
    await delay(POLL_MILLISECONDS, undefined, { signal });
  }
}
