import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { SAMPLE_REPORT } from '../../reports/model/sample-report.test-data.ts';
import { refusalOf } from '../refusal.test-data.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';

test.each([
  ['--like service.json --no-ban', '--like and --no-ban exclude each other'],
  ['--like missing.json', 'missing.json: there is no such file'],
  ['--like service.json --latency', 'service.json does not say how long responses took'],
])('serve %s is refused in one line', async (words, message) => {
  const directory = temporaryDirectory();
  const { responseTimes: _, ...report } = SAMPLE_REPORT;
  writeFileSync(join(directory, 'service.json'), JSON.stringify(report));
  const inDirectory = words.replace(/\w+\.json/, (name) => join(directory, name)).split(' ');
  const { exitCode, text } = await refusalOf(['serve', ...inDirectory]);
  expect({ exitCode, lines: text.trim().split('\n').length }).toEqual({ exitCode: 2, lines: 1 });
  expect(text).toContain(message);
});
