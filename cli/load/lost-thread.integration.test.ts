import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { byPetId, journalsIn, startTarget, writeJson } from '../verify/run.test-data.ts';

/** Loaded into each thread of the process: the second of those that share a load dies when the load begins. */
const DEADLY = `
import { isMainThread, parentPort } from 'node:worker_threads';
let index = -1;
if (!isMainThread) {
  parentPort?.on('message', ({ kind, share }) => {
    index = kind === 'prepare' ? share.index : index;
    if (kind === 'begin' && index === 1) {
      throw new Error('out of luck');
    }
  });
}
`;

test('a thread that dies ends a load of an hour, with one clear sentence and exit code 3', async () => {
  const directory = temporaryDirectory();
  const target = await startTarget();
  writeJson(directory, 'config.json', target.description);
  const before = byPetId(target.inventory());
  const parameters = ['--rate', '200', '--duration', '1h', '--ramp-up', '0', '--writes', '50%'];
  const words = ['--config', 'config.json', '--scenario', 'latency', '--threads', '2', '--json', 'out.json'];
  const { exitCode, stdout, stderr } = await runBinary(['load', ...words, ...parameters], directory, {
    STOCKCHECK_STATE_DIR: directory,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEADLY)}`,
  });
  const sentence =
    /Thread 2 of 2, which had 50 % of the load, ended \d+\.\d s after the start \(out of luck\); none of its share is in these figures, so they are incomplete\./g;
  expect(exitCode).toBe(3);
  expect(stdout.match(sentence)).toHaveLength(1);
  expect(`${stdout}${stderr}`).not.toMatch(/^ +at /m);
  const report = readReport(join(directory, 'out.json'), 'load');
  expect(report).toMatchObject({ verdict: 'inconclusive', scenarios: [{ outcome: 'inconclusive' }] });
  expect(report?.scenarios[0]?.reason).toMatch(sentence);
  // The other thread has put back what it changed, and nothing is left to do.
  expect(byPetId(target.inventory())).toEqual(before);
  expect(journalsIn(directory)).toEqual([]);
});
