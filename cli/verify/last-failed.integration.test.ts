import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { temporaryDirectory } from '../run-binary.test-data.ts';
import { startTarget, verifyTarget, withoutErrorCode } from './run.test-data.ts';

test('--last-failed judges what failed in a report, and takes nothing else', async () => {
  const { description } = await startTarget({ alterations: [withoutErrorCode], control: false });
  const directory = temporaryDirectory();
  const run = (...words: readonly string[]) =>
    verifyTarget(description, ['--profile', 'safe', ...words], directory);

  const first = await run();
  expect(first.exitCode).toBe(1);
  writeFileSync(join(directory, 'first.json'), JSON.stringify(first.report));

  const again = await run('--last-failed', 'first.json');
  expect(again.stderr).toMatch(/^Judging what failed or stayed open in first\.json: \d+ requirements?\.$/m);
  expect(again.report?.checks.length).toBeLessThan(first.report?.checks.length ?? 0);
  expect(again.report?.requirements.filter(({ outcome }) => outcome === 'pass')).toEqual([]);
  expect(again.exitCode).toBe(1);
});
