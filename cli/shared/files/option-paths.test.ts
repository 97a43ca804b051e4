import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { temporaryDirectory } from '../../run-binary.test-data.ts';
import { whyNoFile, whyNoFolder } from './option-paths.ts';

test('what can be written is found out without a trace', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'report.json');
  writeFileSync(file, 'old');
  mkdirSync(join(directory, 'folder'));
  expect(whyNoFolder(join(directory, 'to', 'be', 'made'))).toBeNull();
  expect(whyNoFolder(join(directory, 'folder'))).toBeNull();
  expect(whyNoFile(file)).toBeNull();
  expect(whyNoFile(join(directory, 'new.json'))).toBeNull();
  expect(readdirSync(directory)).toHaveLength(2);
  expect(readdirSync(join(directory, 'folder'))).toHaveLength(0);
});

test('nothing can be written below a file', () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(whyNoFolder(join(file, 'folder'))).toMatch(/not a directory/);
  expect(whyNoFile(join(file, 'report.json'))).toMatch(/not a directory/);
});

test.skipIf(process.platform !== 'linux')(
  'nothing can be written if the system takes no files, though it grants the access',
  () => {
    expect(whyNoFolder('/proc/x')).toMatch(/^nothing can be written to \/proc/);
    expect(whyNoFile('/proc/x.json')).toMatch(/^nothing can be written to \/proc/);
    expect(whyNoFile('/dev/null')).toBeNull();
  },
);
