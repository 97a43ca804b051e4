import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { compile } from './compile.js';
import { ROOT } from './root.js';

/** Writes what the published package holds into dist/, from nothing. */
const directory = join(ROOT, 'dist');
rmSync(directory, { recursive: true, force: true });
if (!(await compile(directory))) {
  process.exitCode = 1;
}
