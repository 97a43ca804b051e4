import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { bundleProgram } from './build/compile.js';
import { ROOT } from './build/root.js';

/**
 * Builds the container image from what is installed here, without a network.
 * usage: node tools/image.js [OPTIONS OF docker build]
 */
const DEFAULT_TAG = 'stockcheck';
/** What the worker of a fleet and a shared store need; containers are not started from within one. */
const ADDED = ['ioredis'];
const ownOptions = process.argv.slice(2);
const tag = ownOptions.some((word) => /^(?:-t|--tag)(?:=|$)/.test(word)) ? [] : ['--tag', DEFAULT_TAG];

const context = mkdtempSync(join(tmpdir(), 'stockcheck-image-'));
try {
  await layOut();
  process.exitCode = build() ? 0 : 1;
} finally {
  rmSync(context, { recursive: true, force: true });
}

async function layOut() {
  await bundleProgram(join(context, 'dist'));
  for (const name of ['Dockerfile', '.dockerignore', 'package.json', 'LICENSE']) {
    copyFileSync(join(ROOT, name), join(context, name));
  }
  copyFileSync(join(ROOT, 'deploy', 'healthcheck.js'), join(context, 'healthcheck.js'));
  mkdirSync(join(context, 'bin'));
  copyFileSync(join(ROOT, 'bin', 'stockcheck.js'), join(context, 'bin', 'stockcheck.js'));
  chmodSync(join(context, 'bin', 'stockcheck.js'), 0o755);
  symlinkSync('stockcheck.js', join(context, 'bin', 'stockcheck'));
  for (const folder of productionPackages()) {
    const nested = join(ROOT, folder, 'node_modules');
    cpSync(join(ROOT, folder), join(context, folder), { recursive: true, filter: (path) => path !== nested });
  }
}

/** @returns {boolean} whether Docker built it */
function build() {
  const words = ['build', ...tag, ...ownOptions, context];
  const { status, error } = spawnSync('docker', words, { stdio: 'inherit' });
  if (error !== undefined) {
    console.error(`docker cannot be run: ${error.message}`);
  }
  return status === 0;
}

/**
 * The folders of the packages that the program needs when it runs: its dependencies and theirs, as Node resolves them, and
 * what is added, without what is only for development or another platform.
 * @returns {readonly string[]} such as `node_modules/ajv`
 */
function productionPackages() {
  const found = new Set();
  const waiting = [...namesNeeded('package.json'), ...ADDED].map((name) => ({ name, from: '' }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const folder = resolvePackage(next.from, next.name);
    if (folder !== undefined && !found.has(folder)) {
      found.add(folder);
      for (const name of namesNeeded(join(folder, 'package.json'))) {
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
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/**
 * @param {string} from the folder of the package that needs it
 * @param {string} name
 * @returns {string | undefined} its folder, if it is installed
 */
function resolvePackage(from, name) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(ROOT, candidate, 'package.json'))) {
      return candidate;
    }
    if (folder === '' || folder === '.') {
      return undefined;
    }
  }
}
