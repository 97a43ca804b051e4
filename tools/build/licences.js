import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the files are called that say under which terms a package may be passed on. */
const TEXTS = ['LICENSE', 'LICENSE.txt', 'LICENSE.md', 'license', 'NOTICE', 'licenses/LICENSE-d3'];

/**
 * The licences and notices of the packages whose code is in dist/.
 * @param {readonly string[]} modules paths of the modules that were bundled
 * @returns {string}
 */
export function licencesOf(modules) {
  const folders = new Set(
    modules.flatMap((path) => /^\0?(?<folder>.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const parts = [...folders].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const paths = TEXTS.map((text) => join(folder, text)).filter((path) => existsSync(path));
    if (paths.length === 0) {
      throw new Error(`${name} has no file with its licence`);
    }
    const texts = paths.map((path) => readFileSync(path, 'utf8').trim());
    return [`${name} ${version} (${license})`].concat(texts).join('\n\n');
  });
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return [
    'The files in this folder hold parts of the packages below, under their own licences.',
    ...parts,
    '',
  ].join(line);
}
