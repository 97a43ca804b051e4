import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import type { Trail } from '../../contract/trail.ts';
import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import { startReferenceServer } from '../../reference-server/index.ts';
import { renderScript } from '../../reports/script/render-script.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';

/** A list without a key, twenty seconds after the beginning. */
const LATE: Trail = {
  keys: [],
  startedAt: null,
  steps: [
    {
      do: 'send',
      at: 20_000,
      connections: 1,
      requests: [
        {
          method: 'GET',
          path: '/inventory',
          authorization: [],
          headers: [],
          body: null,
          operation: 'listInventory',
          key: null,
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

async function runScript(target: string, control: string) {
  const path = join(temporaryDirectory(), 'finding.sh');
  const finding = { id: 'x-1', requirement: 'x', title: 'X holds.', clause: 'X', message: 'No X.' };
  const context = { check: null, wholeRun: null, exploration: null, target, control };
  writeFileSync(path, renderScript({ ...finding, ...context, trail: LATE }));
  const environment = { PATH: process.env['PATH'], CONTROL: control };
  const child = spawn('sh', [path], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  const [told, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { told, exitCode };
}

test('a script lets as much time pass as the trail took', async () => {
  const { url, controlUrl, close } = await startReferenceServer({ graceMilliseconds: 0 });
  onTestFinished(close);
  const readClock = async (): Promise<number> => {
    const answer = await fetch(`${controlUrl}/`);
    return Number(/"now":\s*([\d.]+)/.exec(await answer.text())?.[1]);
  };
  const before = await readClock();
  expect(await runScript(url, controlUrl)).toEqual({ told: '', exitCode: 0 });
  expect((await readClock()) - before).toBeGreaterThan(19);
});

test('a script that loses the control URL says so, and proves nothing', async () => {
  let asked = 0;
  const control = createServer((_request, response) => {
    asked += 1;
    response.writeHead(asked === 1 ? 200 : 503).end('{"capabilities":["clock"],"now":1764000000}');
  });
  const address = `http://127.0.0.1:${await listenForTest(control)}`;
  const { told, exitCode } = await runScript('http://127.0.0.1:9/v1', address);
  expect(told).toContain('The control URL does not tell the time.');
  expect(exitCode).toBe(3);
});
