import { copyFileSync, cpSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { rolldown } from 'rolldown';

import manifest from '../../package.json' with { type: 'json' };
import { TARGET_CONFIG_SCHEMA } from '../../suites/target/configuration/target-config-schema.ts';
import { builtinHttp } from './builtin-http.js';
import { bundleChartLibrary, chartLibraryApart } from './charts.js';
import { emitDeclarations } from './declarations.js';
import entries from './entries.json' with { type: 'json' };
import { licencesOf } from './licences.js';
import { ROOT } from './root.js';
import { compiledValidators } from './validators.js';

/** What users have installed, or are asked for; all other packages are built in. */
const INSTALLED = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

/**
 * Writes what the published package holds.
 * @param {string} directory an empty or absent one
 * @returns {Promise<boolean>} whether it compiled
 */
export async function compile(directory) {
  await bundleProgram(directory);
  // Editors get as a file what the source makes from the tables of fields and load parameters.
  writeFileSync(join(directory, 'config.schema.json'), `${JSON.stringify(TARGET_CONFIG_SCHEMA, null, 2)}\n`);
  return emitDeclarations(directory);
}

/**
 * Writes what runs, with the files that it reads and the licences of what is built in. Where tests have it already, whose
 * `PROGRAM_UNDER_TEST` says where, it is copied.
 * @param {string} directory an empty or absent one
 */
export async function bundleProgram(directory) {
  const bundled = process.env['PROGRAM_UNDER_TEST'];
  if (bundled !== undefined) {
    cpSync(join(dirname(dirname(bundled)), 'dist'), directory, { recursive: true });
    return;
  }
  const modules = [...(await bundlePrograms(directory)), ...(await bundleChartLibrary(directory))];
  writeFileSync(join(directory, 'LICENSES.txt'), licencesOf(modules));
  for (const [name, path] of Object.entries(entries.copies)) {
    copyFileSync(join(ROOT, path), join(directory, name));
  }
}

/**
 * Few files load faster than many. They lie in one folder, so that a thread's file is beside the one that starts it.
 * @param {string} directory
 * @returns {Promise<readonly string[]>} the paths of the modules in them
 */
async function bundlePrograms(directory) {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { ...entries.programs, ...entries.doors },
    external: (id) => INSTALLED.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [chartLibraryApart, compiledValidators, builtinHttp],
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
