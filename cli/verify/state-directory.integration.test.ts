import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { temporaryDirectory } from '../run-binary.test-data.ts';
import { alterationOf, startTarget, verifyTarget } from './run.test-data.ts';

const STANDARD = ['--only', 'update-sets', '--profile', 'standard'];

test('if the journal cannot be written, nothing is changed, and the message names the variable', async () => {
  const directory = temporaryDirectory();
  const target = await startTarget({ control: false });
  writeFileSync(join(directory, 'file'), '');
  const { exitCode, stderr } = await verifyTarget(target.description, STANDARD, directory, {
    STOCKCHECK_STATE_DIR: join(directory, 'file', 'state'),
  });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/cannot be used for the journal \(ENOTDIR.*STOCKCHECK_STATE_DIR/);
  expect(stderr).not.toContain('fault of stockcheck');
  expect(target.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
});

test.skipIf(!existsSync('/proc/self'))(
  'a folder that the system does not let anybody make is named, too',
  async () => {
    const target = await startTarget({ control: false });
    const { exitCode, stderr } = await verifyTarget(target.description, STANDARD, temporaryDirectory(), {
      STOCKCHECK_STATE_DIR: '/proc/stockcheck',
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('/proc/stockcheck cannot be used for the journal (ENOENT');
  },
);

test('if the home cannot be written, the journal is among the temporary files, and a note says so', async () => {
  const directory = temporaryDirectory();
  const target = await startTarget({ control: false });
  writeFileSync(join(directory, 'file'), '');
  const { exitCode, stderr, report, stdout } = await verifyTarget(target.description, STANDARD, directory, {
    STOCKCHECK_STATE_DIR: '',
    XDG_STATE_HOME: join(directory, 'file'),
    TMPDIR: directory,
  });
  expect({ exitCode, said: stdout + stderr }).toMatchObject({ exitCode: 0 });
  expect(report?.problems).toEqual([]);
  expect(stderr).toMatch(/may be lost when this machine restarts; STOCKCHECK_STATE_DIR/);
  const folder = readdirSync(directory).find((entry) => entry.startsWith('stockcheck-')) ?? '';
  expect(readdirSync(join(directory, folder, 'journal'))).toEqual([]);
});

test('a run that only reads needs no folder for state', async () => {
  const directory = temporaryDirectory();
  const target = await startTarget({ control: false });
  const words = ['--only', 'list', '--profile', 'safe'];
  const state = join(directory, 'state');
  const { exitCode } = await verifyTarget(target.description, words, directory, {
    STOCKCHECK_STATE_DIR: state,
  });
  expect(exitCode).toBe(0);
  expect(existsSync(state)).toBe(false);
});

test('a run that only reads ends as any other if its folder for state cannot be made', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  const target = await startTarget({ control: false, alterations: [alterationOf('limit-twice')] });
  const words = ['--only', 'header-limit', '--profile', 'safe'];
  const { exitCode, report } = await verifyTarget(target.description, words, directory, {
    STOCKCHECK_STATE_DIR: join(directory, 'file', 'state'),
  });
  expect(report?.verdict).toBe('nonconformant');
  expect(exitCode).toBe(1);
});
