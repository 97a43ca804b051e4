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
  const directory = await bundleForTests();
  process.env['PROGRAM_UNDER_TEST'] = programIn(directory);
  return () => rmSync(directory, { recursive: true, force: true });
}

/** @param {string} directory */
const programIn = (directory) => join(directory, 'bin', 'stockcheck.js');

async function bundleForTests() {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  // Its dependencies are found from here, and no source is beside it.
  const directory = mkdtempSync(join(cache, 'stockcheck-'));
  cpSync(join(ROOT, 'bin'), join(directory, 'bin'), { recursive: true });
  // Says that the files are modules, which Node would have to find out from each.
  copyFileSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  await bundleProgram(join(directory, 'dist'));
  return directory;
}

// Started by itself, it leaves the program for several runs of vitest and prints where it is.
if (import.meta.main) {
  console.log(programIn(await bundleForTests()));
}
