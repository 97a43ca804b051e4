import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { directoryOfFile } from '../../contract/temporary-directory.test-data.ts';
import type { Report, ReportedRequirement } from '../../reports/index.ts';
import { SAMPLE_CERTIFY_REPORT } from '../../reports/model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../../reports/model/sample-load-report.test-data.ts';
import { SAMPLE_REPORT, withRequirements } from '../../reports/model/sample-report.test-data.ts';
import { refusalOf } from '../refusal.test-data.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { writeJson } from '../verify/run.test-data.ts';

const directory = directoryOfFile();

/** The sample with something else found of the list. */
function sampleWith(found: Partial<ReportedRequirement>): Report {
  const rows = SAMPLE_REPORT.requirements.map((row) =>
    row.id === 'list-succeeds' ? { ...row, ...found } : row,
  );
  return withRequirements(SAMPLE_REPORT, rows);
}

const BROKEN = sampleWith({
  outcome: 'fail',
  findings: [{ message: 'The list is not a JSON array.', curl: "curl 'http://h/v1/inventory'" }],
});
const REPORTS = {
  good: SAMPLE_REPORT,
  bad: { ...BROKEN, observations: { ...SAMPLE_REPORT.observations, 'retry-after-format': 'HTTP-date' } },
  less: sampleWith({ outcome: 'skipped', reason: 'No key was given.' }),
  load: SAMPLE_LOAD_REPORT,
  certify: SAMPLE_CERTIFY_REPORT,
  other: { kind: 'verify' },
};

beforeAll(() => {
  Object.entries(REPORTS).forEach(([name, report]) => writeJson(directory, `${name}.json`, report));
});

test.each<[files: string, exitCode: number, ...said: readonly RegExp[]]>([
  [
    'good.json bad.json',
    1,
    /Fails now \(1\)\n.*list-succeeds: pass → fail \(must;[^]*curl /,
    /retry-after-format: delta-seconds → HTTP-date/,
  ],
  ['good.json less.json', 3, /No longer judged/],
  ['load.json load.json --tolerance 10%', 0, /Measures \(\d+\)\n(?: .*\n)* .*throughput p99: /],
])('compare %s exits with %d, and says what changed', async (files, exitCode, ...said) => {
  const ended = await runBinary(['compare', ...files.split(' ')], directory);
  expect(ended).toMatchObject({ exitCode, stderr: '' });
  said.forEach((text) => expect(ended.stdout).toMatch(text));
  expect(ended.stdout.includes('Fails now')).toBe(exitCode === 1);
});

test('a folder of reports is laid out as a matrix, as a page, as Markdown and as JSON', async () => {
  const folder = temporaryDirectory();
  for (const name of ['a.json', 'b.json', 'c.json']) {
    writeJson(folder, name, name === 'b.json' ? BROKEN : SAMPLE_REPORT);
  }
  const words = ['compare', folder, '--report', join(folder, 'out'), '--json', '-'];
  const { exitCode, stdout, stderr } = await runBinary(words, folder);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'comparison', of: 'verify', observations: [] });
  expect(stderr).toContain('list-succeeds');
  expect(readdirSync(join(folder, 'out')).toSorted()).toEqual(
    ['html', 'json', 'md'].map((ending) => `comparison.${ending}`),
  );
});

test.each<[files: string, message: RegExp]>([
  ['load.json missing.json', /missing\.json: there is no such file/],
  ['. load.json', /other\.json is no report of stockcheck/],
  ['load.json certify.json', /load\.json is a report of stockcheck load, .*certify\.json one of/],
  ['load.json', /compare takes two reports or more/],
  ['load.json load.json --tolerance much', /--tolerance/],
])('compare %s is refused in one line that names what is wrong', async (files, message) => {
  const words = files.split(' ').map((word) => (/^\.$|\.json$/.test(word) ? join(directory, word) : word));
  const { exitCode, text } = await refusalOf(['compare', ...words]);
  expect([exitCode, text]).toEqual([2, expect.stringMatching(message)]);
  expect(text.trimEnd().split('\n')).toHaveLength(1);
});
