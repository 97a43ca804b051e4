import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { bundleProgram } from './compile.js';
import { ROOT } from './root.js';

/**
 * Has tests start the program as it is published, which takes half as long as from many sources; vitest calls it before
 * it starts any worker. The path is in the environment variable `PROGRAM_UNDER_TEST`; what is there already is used.
 */
export default async function useBundledProgram() {
  if (process.env['PROGRAM_UNDER_TEST'] !== undefined) {
    return () => {};
  }
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // Its dependencies are found from here, and no source is beside it.
  const directory = mkdtempSync(join(cache, 'stockcheck-'));
  cpSync(join(ROOT, 'bin'), join(directory, 'bin'), { recursive: true });
  // Says that the files are modules, which Node would have to find out from each.
  copyFileSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  await bundleProgram(join(directory, 'dist'));
  process.env['PROGRAM_UNDER_TEST'] = join(directory, 'bin', 'stockcheck.js');
  return () => rmSync(directory, { recursive: true, force: true });
}
