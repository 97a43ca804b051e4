import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { listenForTest } from '../../fixtures/loopback.test-data.ts';
import { startReferenceServer } from '../../reference-server/index.ts';
import { scriptOfTrail, TRAIL_KEY, trailRequest } from '../../reports/script/short-trail.test-data.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';

/** @param control where the script is told to find the control URL */
async function runScript(trail: Parameters<typeof scriptOfTrail>[0], target: string, control: string) {
  const path = join(temporaryDirectory(), 'finding.sh');
  writeFileSync(path, scriptOfTrail(trail, { target, control }));
  const child = spawn('sh', [path], {
    env: { PATH: process.env['PATH'], CONTROL: control },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [told, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { told, exitCode };
}

/** A list without a key, twenty seconds after the beginning. */
const LATE = { requests: [trailRequest()], at: 20_000 };

test('a script lets as much time pass as the trail took', async () => {
  const { url, controlUrl, close } = await startReferenceServer({ graceMilliseconds: 0 });
  onTestFinished(close);
  const readClock = async (): Promise<number> => {
    const answer = await fetch(`${controlUrl}/`);
    return Number(/"now":\s*([\d.]+)/.exec(await answer.text())?.[1]);
  };
  const before = await readClock();
  expect(await runScript(LATE, url, controlUrl)).toEqual({
    told: '',
    exitCode: 0,
  });
  expect((await readClock()) - before).toBeGreaterThan(19);
});

test('a script that loses the control URL says so, and proves nothing', async () => {
  let asked = 0;
  const control = createServer((_request, response) => {
    asked += 1;
    response.writeHead(asked === 1 ? 200 : 503).end('{"capabilities":["clock"],"now":1764000000}');
  });
  const address = `http://127.0.0.1:${await listenForTest(control)}`;
  const { told, exitCode } = await runScript(LATE, 'http://127.0.0.1:9/v1', address);
  expect(told).toContain('The control URL does not tell the time.');
  expect(exitCode).toBe(3);
});

const WITH_KEY = { authorization: [['Bearer ', { key: 1 }]], key: 1 } as const;
const UPDATE = {
  method: 'PATCH',
  path: '/inventory/1',
  headers: [['Content-Type', 'application/json']],
  body: '{"quantity":7}',
  operation: 'updateInventory',
} as const;

test.each([
  ['what a refused update left alone is judged if it is refused again', {}, 1],
  ['nothing is judged if it is granted this time', WITH_KEY, 0],
] as const)('%s', async (_, credentials, expected) => {
  const { url, controlUrl, close } = await startReferenceServer({ graceMilliseconds: 0 });
  onTestFinished(close);
  const requests = [trailRequest({ ...UPDATE, ...credentials }), trailRequest(WITH_KEY)];
  // The server shows neither.
  const eight = { expect: 'pet', answer: 2, petId: '1', isThere: true, quantities: ['8'] } as const;
  const trail = { keys: [TRAIL_KEY], requests, expectation: { ...eight, refused: [[1, 1]] as const } };
  expect(await runScript(trail, url, controlUrl)).toEqual({ told: '', exitCode: expected });
});
