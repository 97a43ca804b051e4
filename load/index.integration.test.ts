import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

/** Whether a fresh process has loaded the library for Redis after this expression. */
async function loadedAfter(expression: string): Promise<string> {
  const program = `
    import { createRequire } from 'node:module';
    const load = await import('./index.ts');
    ${expression};
    const { cache } = createRequire(import.meta.url);
    console.log(Object.keys(cache).some((path) => path.includes('/ioredis/')));`;
  const words = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: import.meta.dirname });
  return stdout.trim();
}

test('Redis is loaded only for a fleet', async () => {
  expect(await loadedAfter('')).toBe('false');
  expect(await loadedAfter('await load.importFleet("A test")')).toBe('true');
});
