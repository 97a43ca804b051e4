import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { isFolder } from '../../shared/files/json-file.ts';
import { errorCode } from '../../../contract/error-text.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';

/** Which files are watched. */
export interface WatchedFiles {
  /** Files, and folders with all that they hold. */
  readonly paths: readonly string[];
  /** Files and folders that the run itself writes. */
  readonly written: readonly string[];
}

const IGNORED_FOLDERS = new Set(['node_modules', '.git']);
/** What editors keep beside a file. */
const OF_EDITORS = /~$|\.sw[a-z]$|^\.#|^4913$/;

/**
 * Watches each folder by itself, since a recursive watch of Node also watches every file that is ignored.
 * @param onChange gets the path of what was changed, added or removed
 * @returns what ends it
 * @throws {ConfigurationError} if a path cannot be watched
 */
export function watchFiles({ paths, written }: WatchedFiles, onChange: (path: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  const ignored = written.map((path) => resolve(path));
  const isIgnored = (path: string): boolean =>
    IGNORED_FOLDERS.has(basename(path)) ||
    OF_EDITORS.test(basename(path)) ||
    ignored.some((own) => path === own || path.startsWith(own + sep));
  const leave = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const enter = (folder: string, only: string | null): void => {
    if (isIgnored(folder) || watchers.has(folder)) {
      return;
    }
    const watcher = watch(folder, (_event, name) => {
      const path = name === null ? folder : join(folder, name);
      if (isIgnored(path) || (only !== null && path !== only)) {
        return;
      }
      if (only === null && isFolder(path)) {
        enterAll(path);
      }
      onChange(path);
    });
    watcher.on('error', () => leave(folder));
    watchers.set(folder, watcher);
  };
  const enterAll = (folder: string): void => {
    for (const one of foldersIn(folder, isIgnored)) {
      attempt(one, () => enter(one, null));
    }
  };
  for (const path of paths.map((one) => resolve(one))) {
    if (isFolder(path)) {
      enterAll(path);
    } else {
      attempt(path, () => enter(dirname(path), path));
    }
  }
  return () => [...watchers.keys()].forEach(leave);
}

/** A folder and those in it, symbolic links aside. */
function foldersIn(folder: string, isIgnored: (path: string) => boolean): readonly string[] {
  if (isIgnored(folder)) {
    return [];
  }
  const inside = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => foldersIn(join(folder, name), isIgnored));
  return [folder, ...inside];
}

function attempt(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = errorCode(error);
    // It was removed meanwhile.
    if (code === 'ENOENT') {
      return;
    }
    const advice =
      code === 'ENOSPC' || code === 'EMFILE'
        ? 'the system watches no more folders; name fewer with --watch-path'
        : `it cannot be watched (${code ?? String(error)})`;
    throw new ConfigurationError(`--watch: ${path}: ${advice}`, { cause: error });
  }
}
