#!/usr/bin/env node
import { existsSync } from 'node:fs';

const compiled = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('../cli/main.ts', import.meta.url);
// The published package holds no cli/main.ts; a checkout may hold a stale dist/.
await import((existsSync(source) ? source : compiled).href);
