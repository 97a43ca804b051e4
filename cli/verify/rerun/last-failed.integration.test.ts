import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { representation, type Alteration } from '../../../reference-server/index.ts';
import { temporaryDirectory } from '../../run-binary.test-data.ts';
import { keysShown, textsIn } from '../hostile-spellings.test-data.ts';
import { startTarget, verifyTarget } from '../run.test-data.ts';

test('--last-failed judges what failed last, until it holds', async () => {
  let isBroken = true;
  const brokenForNow: Alteration = {
    parts: () => ({
      representation: {
        ...representation,
        error: (body) => {
          const { message, status } = body;
          return isBroken ? JSON.stringify({ message, status }) : representation.error(body);
        },
      },
    }),
  };
  const { description } = await startTarget({ alterations: [brokenForNow], control: false });
  const directory = temporaryDirectory();
  const run = async (...words: readonly string[]) => {
    const environment = { STOCKCHECK_STATE_DIR: join(directory, 'state') };
    return verifyTarget(description, ['--profile', 'safe', ...words], directory, environment);
  };

  const first = await run('--last-failed');
  expect(first.stderr).toContain('No earlier run against this target is known, so everything runs.');
  expect(first.exitCode).toBe(1);
  writeFileSync(join(directory, 'first.json'), JSON.stringify(first.report));
  const keys = Object.values(description.keys ?? {})
    .flat()
    .filter((key) => typeof key === 'string');
  expect(keysShown(keys, textsIn(join(directory, 'state')))).toEqual([]);

  const again = await run('--last-failed');
  expect(again.stderr).toMatch(
    /^Judging what failed or stayed open in the last run .*: \d+ requirements?\.$/m,
  );
  expect(again.report?.requirements.length).toBeLessThan(first.report?.requirements.length ?? 0);
  expect(again.report?.requirements.filter(({ outcome }) => outcome === 'pass')).toEqual([]);
  expect(again.report?.checks.length).toBeLessThan(first.report?.checks.length ?? 0);
  expect(again.exitCode).toBe(1);

  isBroken = false;
  const fixed = await run('--last-failed');
  expect(fixed.exitCode).toBe(0);
  expect(fixed.stdout).toMatch(/conformant in profile safe: .*, with --last-failed/);
  const all = await run('--last-failed');
  expect(all.stderr).toMatch(/Nothing failed or stayed open in the last run .*, so everything runs\./);
  expect(all.report?.requirements).toHaveLength(first.report?.requirements.length ?? 0);
  const named = await run('--last-failed', 'first.json');
  expect(named.report?.requirements).toHaveLength(again.report?.requirements.length ?? 0);

  const noReport = await run('--last-failed', 'config.json');
  expect(noReport.exitCode).toBe(2);
  expect(noReport.stderr).toContain('--last-failed config.json is no report of stockcheck');
});

test('--last-failed takes no target', async () => {
  const { description } = await startTarget();
  const { exitCode, stderr } = await verifyTarget(description, ['--last-failed', description.target]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--last-failed takes a report, not a target');
});
