import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { directoryOfFile } from '../../contract/temporary-directory.test-data.ts';
import type { Trail, TrailKey } from '../../contract/trail.ts';
import { renderScript } from './render-script.ts';

const folder = directoryOfFile();

const KEY = {
  label: 'free#1',
  plan: 'free',
  perMinute: 60,
  perDay: 1_000,
  usedToday: 0,
  issued: false,
} as const;

function trailOfKey(key: TrailKey): Trail {
  return {
    keys: [key],
    startedAt: null,
    steps: [
      ...(key.revoked === true ? [] : [{ do: 'issue key', at: 0, key: 1 } as const]),
      {
        do: 'send',
        at: 0,
        connections: 1,
        requests: [
          {
            method: 'GET',
            path: '/inventory',
            authorization: [['Bearer ', { key: 1 }]],
            headers: [],
            body: null,
            operation: 'listInventory',
            key: 1,
            times: 1,
            answers: [],
          },
        ],
      },
    ],
    wrote: [],
    expectation: { expect: 'response', answer: 1 },
    attempts: 1,
  };
}

/** Runs the script of a trail without a control URL. */
function runScript(trail: Trail) {
  const path = join(folder, 'finding.sh');
  writeFileSync(
    path,
    renderScript({
      id: 'x-1',
      requirement: 'x',
      title: 'X holds.',
      clause: 'X',
      message: 'X does not hold.',
      check: null,
      trail,
      wholeRun: null,
      exploration: null,
      // Nothing listens there, and nothing is to be sent.
      target: 'http://127.0.0.1:9/v1',
      control: null,
    }),
  );
  const { status, stderr } = spawnSync('sh', [path], {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  return { status, stderr };
}

test.for([
  ['a key', trailOfKey(KEY), 'Set KEY_1 to a key of the plan free (free#1) that nobody uses meanwhile.\n'],
  [
    'a revoked key',
    trailOfKey({ ...KEY, label: 'revoked#1', revoked: true }),
    'Set KEY_1 to a key that was revoked.\n',
  ],
] as const)('a script without %s says which is missing and sends nothing', ([, trail, message]) => {
  expect(runScript(trail)).toEqual({ status: 2, stderr: message });
});
