import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { Profile } from '../../contract/verdict.ts';
import { SAMPLE_CERTIFY_REPORT } from '../../reports/model/sample-certify-report.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../../reports/model/sample-load-report.test-data.ts';
import { REPORT_WITH_CAUSES, SAMPLE_REPORT } from '../../reports/model/sample-report.test-data.ts';
import { verify } from '../library/verify/verify.ts';
import { refusalOf } from '../refusal.test-data.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { alterationOf, startTarget, writeJson } from '../verify/run.test-data.ts';

/** Judges an altered server, with the report in a folder of its own. */
async function judge(
  names: readonly string[],
  profile: Profile,
  only: readonly string[] = [],
): Promise<string> {
  const { description } = await startTarget({ alterations: names.map(alterationOf) });
  const directory = temporaryDirectory();
  writeJson(directory, 'report.json', await verify({ ...description, profile }, { only }));
  return directory;
}

const compare = (words: readonly string[], directory = temporaryDirectory()) =>
  runBinary(['compare', ...words], directory);

test('two releases that both conform differ in what the specification leaves open', async () => {
  // The check alone, whose exchanges are enough; by themselves these requirements take every check.
  const only = ['check:minute-limit-free', 'retry-after-valid', 'retry-after-format'];
  const before = await judge([], 'full', only);
  const after = await judge(['retry-after-as-date'], 'full', only);
  const { exitCode, stdout, stderr } = await compare([before, join(after, 'report.json')]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/retry-after-format: delta-seconds → \S+/);
  expect(stdout).not.toContain('Fails now');
  expect(exitCode).toBe(0);
});

test('a release that broke something exits with 1, one that fixed it with 0, and one of which less is judged with 3', async () => {
  const good = join(await judge([], 'safe'), 'report.json');
  const bad = join(await judge(['list-as-text'], 'safe'), 'report.json');
  const less = join(await judge([], 'safe', ['errors']), 'report.json');

  const broken = await compare([good, bad]);
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout).toMatch(/Fails now \(\d+\)\n.*content-type-json: pass → fail \(must;[^]*curl /);

  const repaired = await compare([bad, good]);
  expect(repaired.exitCode).toBe(0);
  expect(repaired.stdout).toMatch(/content-type-json: fail → pass/);

  const same = await compare([bad, bad]);
  expect(same.exitCode).toBe(0);
  expect(same.stdout).toContain('nothing changed');
  expect(same.stdout).toMatch(/Fails in both \(\d+\)\n.*content-type-json/);

  const lost = await compare([good, less]);
  expect(lost.exitCode).toBe(3);
  expect(lost.stdout).toContain('No longer judged');
});

test('reports of load are compared by their measures', async () => {
  const directory = temporaryDirectory();
  writeJson(directory, 'a.json', SAMPLE_LOAD_REPORT);
  const { exitCode, stdout } = await compare(['a.json', 'a.json', '--tolerance', '10%'], directory);
  expect(stdout).toMatch(/Measures \(\d+\)\n(?: .*\n)* .*throughput p99: /);
  expect(exitCode).toBe(0);
});

test('a folder of reports is laid out as a matrix, as a page, as Markdown and as JSON', async () => {
  const directory = temporaryDirectory();
  for (const name of ['a.json', 'b.json', 'c.json']) {
    writeJson(directory, name, name === 'b.json' ? REPORT_WITH_CAUSES : SAMPLE_REPORT);
  }
  const words = [directory, '--report', join(directory, 'out'), '--json', '-'];
  const { exitCode, stdout, stderr } = await compare(words);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'comparison', of: 'verify', observations: [] });
  expect(stderr).toMatch(/list-succeeds +must +pass +fail +pass /);
  const page = readFileSync(join(directory, 'out/comparison.html'), 'utf8');
  expect(page).toContain('<a href="#finding-1-list-succeeds">');
  expect(readFileSync(join(directory, 'out/comparison.md'), 'utf8')).toContain(
    '| list-succeeds | must | ✓ pass | ✗ fail | ✓ pass |',
  );
});

test('bad input is one line that names it, and exit code 2', async () => {
  const directory = temporaryDirectory();
  writeJson(directory, 'load.json', SAMPLE_LOAD_REPORT);
  writeJson(directory, 'certify.json', SAMPLE_CERTIFY_REPORT);
  writeJson(directory, 'other.json', { kind: 'verify' });
  writeFileSync(join(directory, 'text.json'), '{"a":');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['load.json', 'missing.json'], /missing\.json: there is no such file/],
    [['.', 'load.json'], /other\.json is no report of stockcheck/],
    [['load.json', 'other.json'], /other\.json is no report of stockcheck: .*required/],
    [['text.json', 'load.json'], /text\.json is not JSON, line 1/],
    [['load.json', 'certify.json'], /load\.json is a report of stockcheck load, .*certify\.json one of/],
    [['load.json'], /compare takes two reports or more/],
    [['load.json', 'load.json', '--tolerance', 'much'], /--tolerance/],
  ];
  for (const [words, message] of cases) {
    const inDirectory = words.map((word) => (/^\.$|\.json$/.test(word) ? join(directory, word) : word));
    const { exitCode, text } = await refusalOf(['compare', ...inDirectory]);
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    expect(text).toMatch(message);
    expect(exitCode).toBe(2);
  }
});
