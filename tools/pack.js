import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import manifest from '../package.json' with { type: 'json' };
import { compile } from './build/compile.js';
import { ROOT } from './build/root.js';

/** Builds the package beside dist/, which others may use, and packs it as it is published: .package/stockcheck.tgz. */
const directory = join(ROOT, '.package');
const stage = join(directory, 'stage');
rmSync(directory, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
if (!(await compile(join(stage, 'dist')))) {
  process.exit(1);
}
for (const name of ['package.json', 'README.md', 'LICENSE']) {
  copyFileSync(join(ROOT, name), join(stage, name));
}
for (const name of manifest.files.filter((file) => file !== 'dist')) {
  cpSync(join(ROOT, name), join(stage, name), { recursive: true });
}
const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory];
execFileSync('npm', words, { cwd: stage, stdio: 'pipe' });
const name = readdirSync(directory).find((file) => file.endsWith('.tgz')) ?? '';
renameSync(join(directory, name), join(directory, 'stockcheck.tgz'));
rmSync(stage, { recursive: true });
