import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder and those it lies in. `recursive` never returns if the system makes none there, as in /proc. */
export function makeFolder(path: string, mode = 0o777): void {
  if (!existsSync(path)) {
    makeFolder(dirname(path), mode);
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      // Another run may have made it at the same moment.
      if (!existsSync(path)) {
        throw error;
      }
    }
  }
}
