import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const SAFE = ['verify', '--self', '--profile', 'safe', '--only', 'list', '--quiet'];

test('one run writes events, formats, the report of GitLab and one line', async () => {
  const directory = temporaryDirectory();
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const outputs = '--events events.ndjson --format sarif=out.sarif --format junit=j.xml --summary'.split(' ');
  const { exitCode, stdout } = await runBinary([...SAFE, ...outputs], directory, {
    GITLAB_CI: 'true',
    CI_PROJECT_DIR: directory,
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^stockcheck=verify verdict=conformant .*\n$/);
  expect(JSON.parse(read('out.sarif'))).toMatchObject({ version: '2.1.0', runs: [{ results: [] }] });
  expect(read('j.xml')).toContain('<testsuites name="stockcheck"');
  expect(JSON.parse(read('gl-code-quality-report.json'))).toEqual([]);
  const events: readonly { readonly event: string; readonly time: string }[] = read('events.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events[0]).toMatchObject({ event: 'run-start', command: 'verify' });
  expect(events.at(-1)).toMatchObject({ event: 'run-end', verdict: 'conformant' });
  const ids = (name: string) => events.filter(({ event }) => event === name).length;
  expect([ids('plan'), ids('check-start') > 0]).toEqual([1, true]);
  expect(ids('check-end')).toBe(ids('check-start'));
  expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).toSorted());
});

test('what --format asks for is alone on stdout, and the verdict in words goes to stderr', async () => {
  const { exitCode, stdout, stderr } = await runBinary([...SAFE, '--format', 'ctrf'], temporaryDirectory());
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ reportFormat: 'CTRF' });
  expect(stderr).toMatch(/^✓ conformant/);
});

test('a report that cannot be written names its option', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'reports', 'report.json'), { recursive: true });
  const { exitCode, stderr } = await runBinary([...SAFE, '--report', 'reports'], directory);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('stockcheck: --report reports: Cannot write'),
  ]);
});
