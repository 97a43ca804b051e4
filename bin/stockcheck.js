#!/usr/bin/env node
import { existsSync } from 'node:fs';

const { node } = process.versions;
const [major = 0, minor = 0] = node.split('.').map(Number);
// As package.json says. The code below does not even load in an older Node.
if (major < 22 || (major === 22 && minor < 19)) {
  // npx takes the Node that npm installs in a clone, if there is one for the platform.
  const programs = new URL('../node_modules/.bin/', import.meta.url);
  const own = existsSync(new URL('node', programs));
  const advice = own ? ', or run npx stockcheck in the clone, which uses the Node that npm ci installed' : '';
  process.stderr.write(`stockcheck: Node ${node} is too old; use Node 22.19 or later${advice}.\n`);
  process.exit(2);
}
const compiled = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('../cli/main.ts', import.meta.url);
// The published package holds no cli/main.ts; a checkout may hold a stale dist/.
await import((existsSync(source) ? source : compiled).href);
