import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { compile, ROOT } from './compile.js';

/** Compiles what the published package holds into dist/, from nothing. */
const directory = join(ROOT, 'dist');
rmSync(directory, { recursive: true, force: true });
if (!compile(directory)) {
  process.exitCode = 1;
}
