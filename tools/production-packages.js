import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folders in `root` of the packages that the program needs when it runs: its dependencies and theirs, as Node
 * resolves them, without what is only for development or another platform.
 * @param {string} root the folder of the program's package.json
 * @param {readonly string[]} added optional peers that it is to have
 * @returns {readonly string[]} such as `node_modules/ajv`
 */
export function productionPackages(root, added) {
  const found = new Set();
  const waiting = [...namesNeeded(join(root, 'package.json')), ...added].map((name) => ({ name, from: '' }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = resolvePackage(root, next.from, next.name);
    if (folder !== undefined && !found.has(folder)) {
      found.add(folder);
      for (const name of namesNeeded(join(root, folder, 'package.json'))) {
        waiting.push({ name, from: folder });
      }
    }
  }
  return [...found];
}

/**
 * @param {string} path of a package.json
 * @returns {readonly string[]} what it needs, and what it uses if present
 */
function namesNeeded(path) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/**
 * @param {string} root
 * @param {string} from the folder of the package that needs it
 * @param {string} name
 * @returns {string | undefined} its folder, if it is installed
 */
function resolvePackage(root, from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(root, candidate, 'package.json'))) {
      return candidate;
    }
    if (folder === '' || folder === '.') {
      return undefined;
    }
  }
}
