import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { validateKillMatrix } from '../../reports/index.ts';
import { runBinary, startBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const FAULT = 'remaining-missing-once-in-fifteen';

describe('prove', () => {
  test('of one fault: the matrix on stdout, as JSON and as a page, exit code 0', async () => {
    const directory = temporaryDirectory();
    const files = ['--json', 'matrix.json', '--report', 'proof'];
    const words = ['prove', '--profile', 'safe', '--fault', FAULT, ...files];
    const { exitCode, stdout } = await runBinary(words, directory);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`✓ ${FAULT}`);
    expect(stdout).toContain('✓ proven: 1 of 1 faults caught');
    const matrix = validateKillMatrix(JSON.parse(readFileSync(join(directory, 'matrix.json'), 'utf8')));
    expect(matrix.trials.map(({ fault, outcome }) => [fault?.id, outcome])).toEqual([[FAULT, 'caught']]);
    const page = readFileSync(join(directory, 'proof', 'kill-matrix.html'), 'utf8');
    expect(page).toContain(FAULT);
    expect(page.split('<script')).toHaveLength(2);
  });

  test('--list names every fault, variant and client, in words and as JSON', async () => {
    const [words, json] = await Promise.all(
      [[], ['--json']].map((more) => runBinary(['prove', '--list', ...more], temporaryDirectory())),
    );
    expect([words?.exitCode, json?.exitCode]).toEqual([0, 0]);
    expect(words?.stdout).toContain(`${FAULT}  [header-remaining]`);
    expect(words?.stdout).toContain('aligned-minute  [minute window]');
    expect(words?.stdout).toContain('race-when-busy  [limit-under-concurrency]');
    expect(JSON.parse(json?.stdout ?? '')).toMatchObject({
      faults: expect.arrayContaining([expect.objectContaining({ id: FAULT, breaks: expect.any(String) })]),
      variants: expect.arrayContaining([expect.objectContaining({ id: 'sliding-log' })]),
      clients: expect.arrayContaining([expect.objectContaining({ id: 'fetch.ts', expected: 'certified' })]),
    });
  });

  test('in one profile only: what that does not catch is not proven', async () => {
    const words = ['prove', '--profile', 'safe', '--fault', 'update-adds', '--variant', 'sliding-log'];
    const { exitCode, stdout } = await runBinary(words, temporaryDirectory());
    expect(stdout).toContain('✗ update-adds');
    expect(stdout).toContain('✗ not proven: 0 of 1 faults caught');
    expect(stdout).toContain('0 false alarms on 1 conformant server,');
    expect(exitCode).toBe(1);
  });

  test('SIGTERM ends it, and leaves nothing behind', async () => {
    const directory = temporaryDirectory();
    const child = startBinary(['prove', '--fault', FAULT, '--jobs', '1'], directory, { TMPDIR: directory });
    const closed = once(child, 'close');
    await once(child.stderr, 'data');
    child.kill('SIGTERM');
    expect(await closed).toEqual([130, null]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('--clients is bad usage where the sample clients are not', async () => {
    const { exitCode, stderr } = await runBinary(['prove', '--clients'], temporaryDirectory());
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('the sample clients are in the repository of stockcheck'),
    ]);
  });
});
