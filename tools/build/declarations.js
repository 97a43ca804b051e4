import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';

import entries from './entries.json' with { type: 'json' };
import { ROOT } from './root.js';

/**
 * Writes the types of the doors, and of what they name, into `types/`, in the folders of the sources. Whether they are
 * right is for `npm run check:lint` to say.
 * @param {string} directory
 * @returns {boolean} whether they could be written
 */
export function emitDeclarations(directory) {
  const all = mkdtempSync(join(tmpdir(), 'stockcheck-types-'));
  try {
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', all];
    const { status } = spawnSync(process.execPath, words, { cwd: ROOT, stdio: 'inherit' });
    if (status !== 0) {
      return false;
    }
    for (const path of reachable(all)) {
      mkdirSync(dirname(join(directory, 'types', path)), { recursive: true });
      cpSync(join(all, path), join(directory, 'types', path));
    }
    return true;
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}

/**
 * The declarations that the doors lead to.
 * @param {string} all the folder of all that were compiled
 * @returns {ReadonlySet<string>} paths in it
 */
function reachable(all) {
  const found = new Set();
  const waiting = Object.values(entries.doors).map((path) => path.replace(/\.ts$/, '.d.ts'));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (!found.has(path)) {
      found.add(path);
      const text = readFileSync(join(all, path), 'utf8');
      for (const [, specifier] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
        const next = normalize(join(dirname(path), specifier)).replace(/\.(?:ts|js)$/, '.d.ts');
        if (existsSync(join(all, next))) {
          waiting.push(next);
        }
      }
    }
  }
  return found;
}
