import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

test.each([
  [['replay', 'none.json'], 'none.json: there is no such file'],
  [['replay', 'empty.json'], 'empty.json is no report of stockcheck'],
])('refuses %j', async (words, message) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'empty.json'), '{}');
  const { exitCode, stderr } = await runBinary(words, directory);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});
