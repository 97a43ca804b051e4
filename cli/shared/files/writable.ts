import { randomUUID } from 'node:crypto';
import { accessSync, constants, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { errorCode } from '../../../contract/error-text.ts';

/** Why nothing can be written into that folder, or into one that is to be made there; `null` if it can. */
export function whyNoFolder(path: string): string | null {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) {
    return dirname(path) === path ? 'there is no such directory' : whyNoFolder(dirname(path));
  }
  if (!entry.isDirectory()) {
    return `${path} is not a directory`;
  }
  // Some file systems, such as /proc, grant what they then refuse.
  return reasonAgainst(path, () => {
    const probe = join(path, `.stockcheck-${randomUUID()}`);
    writeFileSync(probe, '\n', { flag: 'wx' });
    rmSync(probe);
  });
}

/** Why that file cannot be written in place of one that is there or not, or `null` if it can. */
export function whyNoFile(path: string): string | null {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined) {
    return whyNoFolder(dirname(path));
  }
  // A report that is there is replaced, a device or a pipe is written to.
  return entry.isFile()
    ? whyNoFolder(dirname(realpathSync(path)))
    : reasonAgainst(path, () => accessSync(path, constants.W_OK));
}

function reasonAgainst(path: string, attempt: () => void): string | null {
  try {
    attempt();
    return null;
  } catch (error) {
    switch (errorCode(error)) {
      case 'EACCES':
      case 'EPERM':
      case 'EROFS':
        return `${path} may not be written to`;
      case 'ENOSPC':
      case 'EDQUOT':
        return `no space is left at ${path}`;
      default:
        return `nothing can be written to ${path} (${errorCode(error) ?? 'unknown error'})`;
    }
  }
}
