import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, expect, test } from 'vitest';

import { renderId } from './explain/run.ts';
import { BINARY, runBinary, startBinary, temporaryDirectory } from './run-binary.test-data.ts';

let directory = '';

beforeEach(() => {
  directory = temporaryDirectory();
});

test.each(['22.18.9', '23.11.1'])('Node %s gets one line that says what is needed', async (node) => {
  const script = encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { node: '${node}' } })`,
  );
  const { exitCode, stdout, stderr } = await runBinary(['--version'], directory, {
    NODE_OPTIONS: `--import=data:text/javascript,${script}`,
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr.split('\n')).toHaveLength(2);
  expect(stderr).toContain(
    `stockcheck: Node ${node} cannot run it; use Node 22.19 or later of 22, or Node 24 or later`,
  );
});

test('the help is shown if no command is given, which is bad usage', async () => {
  const { exitCode, stdout, stderr } = await runBinary([], directory);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('Usage: stockcheck');
});

test('what is explained goes to stdout', async () => {
  const stdout = renderId('ban-ends', false);
  expect(await runBinary(['explain', 'ban-ends'], directory)).toEqual({ exitCode: 0, stderr: '', stdout });
});

test('the version is that of the package', async () => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { exitCode, stdout } = await runBinary(['--version'], directory);
  expect(exitCode).toBe(0);
  expect(manifest).toContain(`"version": "${stdout.trim()}"`);
});

test.each(['verify --help', 'verify --self --profile safe --only list --events -'])(
  'a reader of %s that goes away changes nothing',
  async (line) => {
    const child = startBinary(line.split(' '), directory);
    const closed = once(child, 'close');
    child.stdout.destroy();
    expect(await closed).toEqual([0, null]);
  },
);

test('progress that cannot be written changes nothing', () => {
  writeFileSync(join(directory, 'empty'), '');
  const readOnly = openSync(join(directory, 'empty'), 'r');
  const words = [BINARY, 'verify', '--self', '--dry-run'];
  const { status, stdout } = spawnSync(process.execPath, words, { stdio: ['ignore', 'pipe', readOnly] });
  closeSync(readOnly);
  expect([status, stdout.toString()]).toEqual([0, expect.stringContaining('Dry run')]);
});

test.skipIf(process.platform !== 'linux')('what cannot be written to stdout is said so', () => {
  const full = openSync('/dev/full', 'w');
  const words = [BINARY, 'explain', 'ban-ends'];
  const { status, stderr } = spawnSync(process.execPath, words, { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect([status, stderr.toString()]).toEqual([
    3,
    expect.stringMatching(/^stockcheck: stdout cannot be written: ENOSPC.*\n$/),
  ]);
});

test('keys from stdin and from a file are used without a warning, and a key on the command line with one', async () => {
  const words = ['verify', 'http://127.0.0.1:1/v1', '--quiet', '--dry-run'];
  writeFileSync(join(directory, 'keys'), 'k3\nk4\n');
  const read = spawnSync(process.execPath, [BINARY, ...words, '--key', 'free=-', '--key', 'pro=@keys'], {
    cwd: directory,
    env: { PATH: process.env['PATH'] },
    input: 'k1\nk2\n',
    encoding: 'utf8',
  });
  expect(read).toMatchObject({ status: 0, stderr: '' });
  expect(read.stdout).toMatch(/free#2[^]*pro#2/);
  const { exitCode, stderr } = await runBinary([...words, '--key', 'free=k1', '--key', 'pro=k2'], directory);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^warning: other users of this machine can read a key .*\n$/);
});
