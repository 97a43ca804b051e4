import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from './build/root.js';

/** Builds the package and packs it as it would be published, into .package/stockcheck.tgz. */
const directory = join(ROOT, '.package');
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory);
execFileSync('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: ROOT, stdio: 'pipe' });
const [name = ''] = readdirSync(directory);
renameSync(join(directory, name), join(directory, 'stockcheck.tgz'));
