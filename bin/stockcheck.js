#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as modules from 'node:module';

const { node } = process.versions;
const [major = 0, minor = 0] = node.split('.').map(Number);
// As package.json says. The code below does not even load in another Node.
if (major < 24 && !(major === 22 && minor >= 19)) {
  // npx takes the Node that npm installs in a clone, if there is one for the platform.
  const programs = new URL('../node_modules/.bin/', import.meta.url);
  const own = existsSync(new URL('node', programs));
  const advice = own ? ', or run npx stockcheck in the clone, which uses the Node that npm ci installed' : '';
  process.stderr.write(
    `stockcheck: Node ${node} cannot run it; use Node 22.19 or later of 22, or Node 24 or later${advice}.\n`,
  );
  process.exit(2);
}
// The second start and all later ones need not compile again.
modules.enableCompileCache();
const compiled = new URL('../dist/main.js', import.meta.url);
const source = new URL('../cli/main.ts', import.meta.url);
// The published package holds no cli/main.ts; a checkout may hold a stale dist/.
await import((existsSync(source) ? source : compiled).href);
