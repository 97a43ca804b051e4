import { join } from 'node:path';

import { expect, test } from 'vitest';

import { repeatableFindings } from '../../reports/index.ts';
import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { alterationOf, seedKey, startTarget } from '../verify/run.test-data.ts';

test('all that a replay may send is announced before it sends anything', async () => {
  const directory = temporaryDirectory();
  const alterations = [alterationOf('update-answered-with-old-quantity')];
  const faulty = await startTarget({ alterations, control: false, graceMilliseconds: 0 });
  const target = await startTarget({ control: false, graceMilliseconds: 0 });
  const run = ['--profile', 'standard', '--key', `business=${seedKey('business')}`, '--json', 'report.json'];
  await runBinary(['verify', faulty.server.url, '--only', 'update', ...run], directory);
  const report = readReport(join(directory, 'report.json'), 'verify');
  const findings = report === null ? [] : repeatableFindings(report);
  const found = findings.find(({ check, trail }) => check !== null && trail.isOracles === true);
  const words = ['replay', 'report.json', found?.id ?? '', '--target', target.server.url, ...run];
  // Nothing shows there, so that each way is tried.
  const { stderr } = await runBinary([...words, '--profile', 'safe'], directory);
  const [all = 0, ...each] = [...stderr.matchAll(/Budget: at most ([\d,]+) requests/g)].map(([, count]) =>
    Number(count),
  );
  expect(each).toHaveLength(2);
  expect(each.reduce((sum, count) => sum + count, 0)).toBe(all);
  expect(stderr.indexOf('Budget: ')).toBeLessThan(stderr.indexOf('The trail is sent again.'));
  expect(target.requests.length).toBeLessThanOrEqual(all);
});
