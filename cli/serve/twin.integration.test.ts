import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { compareReports, type VerifyReport } from '../../reports/index.ts';
import type { TargetDescription } from '../../suites/target/index.ts';
import { describeReferenceServer } from '../library/embedded/embedded-target.ts';
import { verify } from '../library/verify/verify.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';
import { alterationOf, startTarget } from '../verify/run.test-data.ts';
import { readStart, startServe } from './serve-process.test-data.ts';

const CHOICES = ['sliding-log', 'ban-by-403', 'errors-with-nested-members', 'pet-ids-with-leading-zeros'];
const SHOWING_THEM = [
  'check:ban',
  'window-algorithm-by-reset',
  'odd-requests',
  'bad-bodies',
  'extra-members',
];

const judge = (description: TargetDescription): Promise<VerifyReport> =>
  verify({ ...description, profile: 'full' }, { only: SHOWING_THEM });

function written(report: unknown): string {
  const path = join(temporaryDirectory(), 'service.json');
  writeFileSync(path, JSON.stringify(report));
  return path;
}

test('a twin is judged as the service was, and observed to do the same', async () => {
  const { description } = await startTarget({ alterations: CHOICES.map(alterationOf) });
  const service = await judge(description);
  expect(service.verdict).toBe('conformant');
  expect(service.observations).toMatchObject({
    'window-algorithm': 'sliding',
    'ban-status': 403,
    'extra-members.error': ['details', 'request'],
    'odd-pet-ids.petId: leading zero': 400,
  });

  const { child } = startServe(['--control-port', '0', '--like', written(service)]);
  const rows = await readStart(child.stdout);
  expect(rows.get('like')).toMatch(/^.*service\.json: (\d+) of \1 observations alike$/);
  expect(rows.get('not told apart')).toContain('latency');
  const address = { url: rows.get('target') ?? '', controlUrl: rows.get('control') ?? '' };
  const twin = await judge(describeReferenceServer(address));
  expect(compareReports(service, twin)).toMatchObject({ requirements: [], observations: [] });
});
