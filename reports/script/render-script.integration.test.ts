import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { directoryOfFile } from '../../contract/temporary-directory.test-data.ts';
import type { TrailKey } from '../../contract/trail.ts';
import { scriptOfTrail, TRAIL_KEY, trailRequest } from './short-trail.test-data.ts';

const folder = directoryOfFile();

/** Runs the script of a trail that takes a key, without a control URL. */
function runScript(key: TrailKey) {
  const path = join(folder, 'finding.sh');
  const requests = [trailRequest({ authorization: [['Bearer ', { key: 1 }]], key: 1 })];
  // Nothing listens there, and nothing is to be sent.
  const nowhere = { target: 'http://127.0.0.1:9/v1', control: null };
  writeFileSync(path, scriptOfTrail({ keys: [key], requests }, nowhere));
  const { status, stderr } = spawnSync('sh', [path], {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  return { status, stderr };
}

test.for([
  ['a key', TRAIL_KEY, 'Set KEY_1 to a key of the plan free (free#1) that nobody uses meanwhile.\n'],
  [
    'a revoked key',
    { ...TRAIL_KEY, label: 'revoked#1', revoked: true },
    'Set KEY_1 to a key that was revoked.\n',
  ],
] as const)('a script without %s says which is missing and sends nothing', ([, key, message]) => {
  expect(runScript(key)).toEqual({ status: 2, stderr: message });
});
