import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { refusalOf } from '../refusal.test-data.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';

test.each([
  ['--baseline report.json', /^--baseline \S+report\.json is no report of stockcheck: /],
  ['--baseline broken.json', /^--baseline \S+broken\.json/],
  ['--history run.ndjson --dry-run', /^--history has no meaning with --dry-run/],
])('load --self %s is bad usage that names the option', async (words, message) => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'report.json'), '{"kind":"load"}');
  writeFileSync(join(directory, 'broken.json'), '{"kind":');
  const inDirectory = words.replace(/\w+\.json/, (name) => join(directory, name)).split(' ');
  const { exitCode, text } = await refusalOf(['load', '--self', ...inDirectory]);
  expect([exitCode, text.replace(/^stockcheck: /, '')]).toEqual([2, expect.stringMatching(message)]);
  expect(text).not.toContain('unexpected');
});
