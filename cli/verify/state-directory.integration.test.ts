import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { temporaryDirectory } from '../run-binary.test-data.ts';
import { alterationOf, startTarget, verifyTarget } from './run.test-data.ts';

const STANDARD = ['--only', 'update-sets', '--profile', 'standard'];

/** Judges a server in a folder that holds a file, below which there can be no folder. */
async function verifyIn(
  environment: (directory: string) => Readonly<Record<string, string>>,
  words: readonly string[] = STANDARD,
) {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  const target = await startTarget({ control: false, alterations: [alterationOf('limit-twice')] });
  const result = await verifyTarget(target.description, words, directory, environment(directory));
  return { ...result, directory, requests: target.requests };
}

const UNUSABLE: readonly [where: string, folder: (directory: string) => string, code: string][] = [
  ['below a file', (directory) => join(directory, 'file', 'state'), 'ENOTDIR'],
  ['where the system lets nobody make any', () => '/proc/stockcheck', 'ENOENT'],
];

test.each(existsSync('/proc/self') ? UNUSABLE : UNUSABLE.slice(0, 1))(
  'with a folder for state %s, nothing is changed, and the message names both',
  async (_where, folder, code) => {
    const { exitCode, stderr, requests, directory } = await verifyIn((within) => ({
      STOCKCHECK_STATE_DIR: folder(within),
    }));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${folder(directory)} cannot be used for the journal (${code}`);
    expect(stderr).toContain('STOCKCHECK_STATE_DIR');
    expect(stderr).not.toContain('fault of stockcheck');
    expect(requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
  },
);

test('a run that only reads makes no folder for state, and ends as any other if none can be made', async () => {
  const words = ['--only', 'header-limit', '--profile', 'safe'];
  const [made, impossible] = await Promise.all(
    ['state', join('file', 'state')].map((path) =>
      verifyIn((within) => ({ STOCKCHECK_STATE_DIR: join(within, path) }), words),
    ),
  );
  expect([made?.exitCode, impossible?.exitCode]).toEqual([1, 1]);
  expect(impossible?.report?.verdict).toBe('nonconformant');
  expect(existsSync(join(made?.directory ?? '', 'state'))).toBe(false);
});
