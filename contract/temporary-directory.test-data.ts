import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, onTestFinished } from 'vitest';

/** A folder that is gone when the test is over. */
export function temporaryDirectory(): string {
  return removedBy(onTestFinished);
}

/** A folder that is gone when all tests of the file are over. */
export function directoryOfFile(): string {
  return removedBy(afterAll);
}

function removedBy(atEnd: (end: () => void) => void): string {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-'));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
