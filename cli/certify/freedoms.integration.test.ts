import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const CLIENT = fileURLToPath(new URL('../../fixtures/clients/jsonl.ts', import.meta.url));

/** Hands on the list as it came, and takes it for granted that every answer has a Date. */
const RELIES_ON_DATE = `
const { STOCKCHECK_BASE_URL: base, STOCKCHECK_API_KEY: key } = process.env;
const response = await fetch(base + '/inventory', { headers: { Authorization: 'Bearer ' + key } });
const list = await response.text();
console.log(
  response.headers.has('date')
    ? '{"ok":true,"value":' + list + '}'
    : '{"ok":false,"error":{"code":"no_date","message":"no Date","status":200}}',
);
`;

async function certify(words: readonly string[]) {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'client.mjs'), RELIES_ON_DATE);
  const options = ['--freedoms', '--only', 'list', '--json', 'report.json', '--report', 'report'];
  const result = await runBinary(['certify', ...options, ...words], directory);
  return { ...result, report: readReport(join(directory, 'report.json'), 'certify') };
}

test('a client that relies on what services may leave out is certified, and told so', async () => {
  const { exitCode, stdout, stderr, report } = await certify(['--', process.execPath, 'client.mjs']);
  expect(exitCode).toBe(0);
  const failed = report?.freedoms?.filter((row) => row.failed.length > 0);
  // A reply is one line, and a list may come in several.
  expect(failed?.map(({ variant, scenarios }) => [variant, scenarios])).toEqual([
    ['no-date', 1],
    ['white-space-around', 1],
  ]);
  expect(failed?.[0]?.failed.map(({ scenario }) => scenario)).toEqual(['list']);
  expect(report?.freedoms?.length).toBeGreaterThan(10);
  expect(stdout).toMatch(/It fails with 2 of \d+ choices that services may make/);
  expect(stderr).toMatch(/Playing \d+ scenarios with another choice each/);
});

test('a client that relies on nothing passes with all choices, in one process for all', async () => {
  const { exitCode, stdout } = await certify([
    '--quiet',
    '--driver',
    'jsonl',
    '--',
    process.execPath,
    CLIENT,
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/It passes with all \d+ choices that services may make/);
});
