import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { TARGET_CONFIG_SCHEMA } from '../suites/target/configuration/target-config-schema.ts';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * Compiles what the published package holds.
 * @param {string} directory an empty or absent one
 * @returns {boolean} whether it compiled
 */
export function compile(directory) {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', directory];
  const { status } = spawnSync(process.execPath, words, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) {
    return false;
  }
  copyFileSync(join(ROOT, 'contract', 'openapi.yaml'), join(directory, 'contract', 'openapi.yaml'));
  // Editors get as a file what the source makes from the tables of fields and load parameters.
  const schema = join(directory, 'suites', 'target', 'configuration', 'target-config.schema.json');
  writeFileSync(schema, `${JSON.stringify(TARGET_CONFIG_SCHEMA, null, 2)}\n`);
  return true;
}
