import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Keeps journals and locks of the tests out of the user's home; vitest calls it before it starts any worker. */
export default function useTemporaryStateDirectory(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-state-'));
  process.env['STOCKCHECK_STATE_DIR'] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}
