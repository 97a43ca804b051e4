import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { bundleProgram } from './build/compile.js';
import { ROOT } from './build/root.js';
import { productionPackages } from './production-packages.js';

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
  for (const folder of productionPackages(ROOT, ADDED)) {
    const nested = join(ROOT, folder, 'node_modules');
    cpSync(join(ROOT, folder), join(context, folder), {
      recursive: true,
      filter: (path) => path !== nested,
    });
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
