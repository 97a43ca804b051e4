#!/usr/bin/env node
import { existsSync } from 'node:fs';

const { node } = process.versions;
const [major = 0, minor = 0] = node.split('.').map(Number);
// As package.json says; what comes below does not even load in an older one.
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `stockcheck: Node ${node} is too old: use 22.19 or later, or npx stockcheck, which brings its own.\n`,
  );
  process.exit(2);
}
const compiled = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('../cli/main.ts', import.meta.url);
// The published package holds no cli/main.ts; a checkout may hold a stale dist/.
await import((existsSync(source) ? source : compiled).href);
