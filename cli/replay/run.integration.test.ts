import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const EMPTY_ARCHIVE = { log: { version: '1.2', creator: { name: 'a browser', version: '1' }, entries: [] } };

test.each([
  [['replay', 'none.json'], 'none.json: there is no such file'],
  [['replay', 'empty.json'], 'empty.json is no report of stockcheck'],
  [['replay', 'browser.har'], 'browser.har: the archive holds no trail of a finding'],
])('refuses %j', async (words, message) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'empty.json'), '{}');
  writeFileSync(join(directory, 'browser.har'), JSON.stringify(EMPTY_ARCHIVE));
  const { exitCode, stderr } = await runBinary(words, directory);
  expect(stderr).toContain(message);
  expect(exitCode).toBe(2);
});
