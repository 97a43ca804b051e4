import { execFileSync } from 'node:child_process';

import { expect, test } from 'vitest';

const MODULE = new URL('./judging-threads.ts', import.meta.url).href;
const PROGRAM = `console.log((await import('${MODULE}')).openFilesLimit())`;

test.each([256, 1_000])('of a shell that allows %i it knows as many', (limit) => {
  const command = `ulimit -n ${limit} && exec "$0" --input-type=module --eval "$1"`;
  const told = execFileSync('sh', ['-c', command, process.execPath, PROGRAM], { encoding: 'utf8' });
  expect(Number(told)).toBe(limit);
});
