import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Compiles what the published package holds into dist/, from nothing. */
const root = new URL('../', import.meta.url);
const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));

rmSync(new URL('dist', root), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: fileURLToPath(root),
  stdio: 'inherit',
});
if (status === 0) {
  copyFileSync(new URL('contract/openapi.yaml', root), new URL('dist/contract/openapi.yaml', root));
} else {
  process.exitCode = 1;
}
