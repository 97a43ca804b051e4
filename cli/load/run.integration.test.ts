import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import type { LoadTargetName } from '../../fixtures/load-targets/load-target.ts';
import { loadTargetAddress } from '../../fixtures/load-targets/start-target.test-data.ts';
import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import { LOAD_SCENARIOS } from '../../load/index.ts';
import { loadTarget } from './run.test-data.ts';
import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { failedIds, startFaulty, writeJson } from '../verify/run.test-data.ts';

const BRIEF = ['--self', '--scenario', 'latency', '--rate', '100', '--duration', '1s', '--ramp-up', '0.2'];

describe('against the embedded server', () => {
  test('latency is measured, and every report is written', async () => {
    const directory = temporaryDirectory();
    const words = [...BRIEF, '--report', 'report', '--openmetrics', 'metrics.txt'];
    const { exitCode, stdout, stderr, report } = await loadTarget(words, directory);
    const [latency] = report?.scenarios ?? [];
    const [measured] = latency?.measurements ?? [];
    expect(report?.scenarios.map(({ id }) => id)).toEqual(['latency']);
    // Each is due at a moment of its own: none is left out, none comes twice.
    expect(measured).toMatchObject({
      scheduled: 100,
      answered: 100,
      unsent: 0,
      lost: {},
      statuses: { '200': 100 },
    });
    expect(latency?.findings).toEqual([]);
    expect(latency?.spent).toBe(110);
    expect(failedIds(report?.requirements)).toEqual([]);
    expect(stdout).toContain('100 × 200; 0 lost');
    expect(stderr).toContain('latency: Response time at a fixed rate');

    // A generator that had to wait for its processor signs nothing; a p99 may even be too long.
    const isSlow = measured?.invalid.length !== 0 || (measured.responseTime.p99 ?? 0) >= 100;
    expect(isSlow ? [0, 1, 3] : [0]).toContain(exitCode);
    expect(report?.verdict).toBe(['conformant', 'nonconformant', '', 'inconclusive'][exitCode ?? 2]);

    const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
    expect(JSON.parse(read('report/report.json'))).toEqual(JSON.parse(read('out.json')));
    expect(read('report/report.html')).toContain('<html');
    expect(read('report/junit.xml')).toContain('<testsuite');
    expect(report?.environment?.command.slice(0, 3)).toEqual(['stockcheck', 'load', '--json']);
    // Nobody may take it for a target of theirs.
    for (const name of ['report/report.html', 'report/report.md', 'report/junit.xml', 'metrics.txt']) {
      expect(read(name)).toContain('latency');
      expect(read(name)).toContain('embedded reference server');
      expect(read(name)).toContain(process.versions.node);
    }
    expect(stdout.split('\n')[0]).toContain('(embedded reference server)');
    expect(read('metrics.txt')).toMatch(/# EOF\n$/);
  });

  test('a crossed threshold is exit code 1', async () => {
    const { exitCode, stdout, report } = await loadTarget([...BRIEF, '--threshold', 'goodput>=1000']);
    expect(report?.scenarios[0]?.thresholds).toMatchObject([
      { expression: 'goodput >= 1000/s', value: expect.any(Number), outcome: expect.any(String) },
      { expression: 'errors < 0.1%' },
      { expression: 'rate >= 99%' },
    ]);
    const isSigned = report?.scenarios[0]?.measurements[0]?.invalid.length === 0;
    expect(isSigned ? [1] : [1, 3]).toContain(exitCode);
    expect(exitCode === 1).toBe(report?.scenarios[0]?.thresholds[0]?.outcome === 'fail');
    expect(exitCode === 1).toBe(report?.verdict === 'nonconformant');
    expect(stdout).toContain('goodput >= 1000/s');
  });

  test('what was measured before is compared with', async () => {
    const directory = temporaryDirectory();
    const first = await loadTarget([...BRIEF, '--rounds', '2', '--quiet'], directory);
    expect(first.stderr).toBe('');
    writeJson(directory, 'before.json', first.report);
    const { report } = await loadTarget([...BRIEF, '--rounds', '2', '--baseline', 'before.json'], directory);
    expect(report?.comparison).toMatchObject({
      file: 'before.json',
      startedAt: first.report?.startedAt,
    });
    const rounds = [...(first.report?.scenarios ?? []), ...(report?.scenarios ?? [])];
    expect(rounds.map(({ measurements }) => measurements.length)).toEqual([2, 2]);
  });
});

describe('the rates that are said are those of the target', () => {
  const KEY = ['--key', 'enterprise=any-key@1000000/100000000'];

  /** The second line on the scenario, and its only measurement. */
  async function latencyOf(name: LoadTargetName, flags: readonly string[], words: readonly string[]) {
    const url = await loadTargetAddress(name, ...flags);
    const { stdout, report } = await loadTarget([url, ...KEY, '--scenario', 'latency', ...words]);
    const [measured] = report?.scenarios[0]?.measurements ?? [];
    expect(measured?.sent).toBe(measured?.scheduled);
    const [, said = ''] = /latency Response time.*\n {2}(.*)\n/.exec(stdout) ?? [];
    return { said, stdout, measured };
  }

  test('if it is half as fast as requests are due', async () => {
    const flags = ['--workers', '1', '--service-milliseconds', '50'];
    const { said, measured } = await latencyOf('known-capacity', flags, ['--rate', '40', '--duration', '3s']);
    expect(measured).toMatchObject({ scheduled: 120, statuses: { '200': 120 }, lost: {} });
    expect(said).toMatch(/^40\/s due, [0-9.]+\/s sent, [0-9.]+\/s answered 2xx$/);
    // About one in 50 ms, by a timer that a busy target may have set some milliseconds late; 40 are due.
    expect(measured?.goodput).toBeLessThan(30);
    expect(measured?.answers?.other.rate).toBe(0);
  });

  test('if some requests are never answered', async () => {
    const words = ['--rate', '40', '--duration', '3s', '--timeout', '1'];
    const { said, measured } = await latencyOf('hangs', ['--share', '0.1'], words);
    const { '200': answered = 0 } = measured?.statuses ?? {};
    expect(measured?.lost).toEqual({ timeout: 120 - answered });
    expect(answered).toBeLessThan(120);
    // A little more, as a rate is not always rounded as a quotient is.
    expect(measured?.goodput).toBeLessThanOrEqual(answered / 3 + 1e-9);
    expect(said).toMatch(/^40\/s due, [0-9.]+\/s sent, [0-9.]+\/s answered 2xx, [0-9.]+\/s lost$/);
  });

  test('if many fail sooner than the others are answered', async () => {
    const flags = ['--share', '0.3', '--service-milliseconds', '100', '--status', '500'];
    const { said, stdout, measured } = await latencyOf('errors', flags, ['--rate', '40', '--duration', '3s']);
    const { '200': answered = 0, '500': failed = 0 } = measured?.statuses ?? {};
    expect(answered + failed).toBe(120);
    expect(measured?.answers).toMatchObject({
      success: { responseTime: { count: answered } },
      other: { responseTime: { count: failed } },
    });
    expect(measured?.answers?.success.responseTime.min).toBeGreaterThanOrEqual(100);
    expect(said).toMatch(/sent, [0-9.]+\/s answered 2xx, [0-9.]+\/s answered otherwise$/);
    expect(stdout).toMatch(/\n {2}answered 2xx: p50 .*\n {2}answered otherwise: p50 /);
  });
});

describe('a target that does not answer', () => {
  test.each<[string, LoadTargetName, string]>([
    ['refuses connections', 'dead', 'ECONNREFUSED'],
    ['hangs', 'hangs', 'HEAD_TIMEOUT'],
  ])('since it %s is exit code 3 and one clear sentence', async (_how, name, cause) => {
    const url = await loadTargetAddress(name);
    const { exitCode, stdout, report } = await loadTarget([url, '--key', 'free=k1', '--timeout', '0.3']);
    expect(exitCode).toBe(3);
    expect(report).toMatchObject({ verdict: 'inconclusive', scenarios: [], budget: { spent: 0 } });
    expect(report?.problems).toEqual([expect.stringContaining(`No answer from ${new URL(url).origin}: `)]);
    expect(report?.problems[0]).toContain(cause);
    expect(stdout.split('\n').filter((line) => line.includes('No answer'))).toHaveLength(1);
    // Nothing of the scenarios was tried: the report would take longer than any of them otherwise.
    expect(report?.requirements.every(({ outcome }) => outcome === 'skipped')).toBe(true);
  });
});

test('a history of a load shows which limits it saw broken', async () => {
  const { url, controlUrl } = await startFaulty('minute-free-unlimited');
  const directory = temporaryDirectory();
  const key = SEED_KEYS.find(({ plan }) => plan === 'free')?.key ?? '';
  const target = [url, '--control', controlUrl, '--key', `free=${key}`];
  const { exitCode, report } = await loadTarget(
    [...target, '--scenario', 'limit-accuracy', '--history', 'run.ndjson.gz'],
    directory,
  );
  expect([exitCode, failedIds(report?.requirements)]).toEqual([1, ['minute-limit-free']]);

  const again = await runBinary(['verify', '--har', 'run.ndjson.gz', '--json', 'again.json'], directory);
  const judged = readReport(join(directory, 'again.json'), 'verify');
  expect([again.exitCode, failedIds(judged?.requirements)]).toEqual([1, ['minute-limit-free']]);
  expect(judged?.target.url).toBe(url);
  expect(gunzipSync(readFileSync(join(directory, 'run.ndjson.gz'))).toString()).not.toContain(key);
});

describe('nothing is sent', () => {
  test('--list names every scenario, in words and as JSON', async () => {
    const ids = LOAD_SCENARIOS.map(({ id }) => id);
    const [words, json] = await Promise.all(
      [[], ['--json', '-']].map((more) => runBinary(['load', '--list', ...more], temporaryDirectory())),
    );
    expect(words?.stdout.split('\n').flatMap((line) => /^[a-z]\S*/.exec(line)?.[0] ?? [])).toEqual(ids);
    expect([words?.exitCode, json?.exitCode]).toEqual([0, 0]);
    const list: { readonly scenarios: readonly { readonly id: string }[] } = JSON.parse(json?.stdout ?? '');
    expect(list.scenarios.map(({ id }) => id)).toEqual(ids);
  });

  test('--dry-run prints rates and budget', async () => {
    const words = ['--scenario', 'latency,bad-keys', '--duration', '2', '--max-rate', '300'];
    const { exitCode, stdout, report } = await loadTarget(['--self', ...words, '--dry-run']);
    expect([exitCode, report]).toEqual([0, null]);
    // A tenth more than 200/s for two seconds after a ramp of one, and ten; 300/s; and 32 for the rest.
    expect(stdout).toContain('Load on the embedded reference server: at most 1192 requests in 2 scenarios');
    expect(stdout).toContain('latency: rate 200/s, duration 2 s');
    expect(stdout).toContain('at most 560 requests');
    expect(stdout).toContain('at most 600 requests');
  });
});

describe('bad usage is exit code 2 and names the option', () => {
  test.each<[string, readonly string[]]>([
    ['--baseline report.json is no report of stockcheck: ', ['--self', '--baseline', 'report.json']],
    ['--baseline broken.json', ['--self', '--baseline', 'broken.json']],
    ['--history has no meaning with --dry-run', ['--self', '--history', 'run.ndjson', '--dry-run']],
  ])('%s', async (message, words) => {
    const directory = temporaryDirectory();
    writeJson(directory, 'report.json', { kind: 'load' });
    writeFileSync(join(directory, 'broken.json'), '{"kind":');
    const { exitCode, stdout, stderr, report } = await loadTarget(words, directory);
    expect(stderr).toContain(message);
    expect([exitCode, stdout, report]).toEqual([2, '', null]);
    expect(stderr).not.toContain('unexpected');
  });
});
