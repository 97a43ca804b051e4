import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps journals and locks of the tests out of the user's home, and has the processes that tests start share what Node
 * compiles; vitest calls it before it starts any worker.
 */
export default function useTemporaryDirectories(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-state-'));
  process.env['STOCKCHECK_STATE_DIR'] = directory;
  process.env['NODE_COMPILE_CACHE'] ??= `${directory}-compiled`;
  return () =>
    [directory, `${directory}-compiled`].forEach((path) => rmSync(path, { recursive: true, force: true }));
}
