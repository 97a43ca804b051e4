import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  return true;
}
