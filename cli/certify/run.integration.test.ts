import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { type CertifyReport, parseReport } from '../../reports/index.ts';
import { SCENARIOS } from '../../suites/certify/index.ts';
import { isRunning } from '../../suites/certify/drivers/clients.test-data.ts';
import { failedIds } from '../verify/run.test-data.ts';
import { BINARY, readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const CLIENTS = fileURLToPath(new URL('../../fixtures/clients/', import.meta.url));
const TEMPLATE = fileURLToPath(new URL('../../examples/clients/driver.js', import.meta.url));

/** Scenarios that take about a second each, one of every kind. */
const QUICK = 'list,list-empty,update-beyond-double,list-revoked-key,update-unknown-pet,limited-seconds';

async function certify(words: readonly string[], directory = temporaryDirectory()) {
  const result = await runBinary(['certify', '--json', 'report.json', ...words], directory);
  const report = certifyReport(directory);
  return { ...result, report };
}

function certifyReport(directory: string): CertifyReport {
  const report = readReport(join(directory, 'report.json'), 'certify');
  if (report === null) {
    throw new Error('There is no report');
  }
  return report;
}

test('the scenarios that --only selects are listed, in words and as JSON, without a client', async () => {
  const words = ['certify', '--list', '--only', 'update-*,client-waits'];
  const { exitCode, stdout } = await runBinary(words, temporaryDirectory());
  const selected = SCENARIOS.filter(
    ({ id, judges }) => id.startsWith('update-') || judges.includes('client-waits'),
  );
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([...selected.map(({ id }) => id), '']);
  const asJson = await runBinary([...words, '--json', '-'], temporaryDirectory());
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    scenarios: selected.map(({ id, judges }) => ({ id, judges })),
  });
});

describe('a client', () => {
  test('that behaves is certified, with the traffic of each scenario in the report', async () => {
    const { exitCode, stdout, report } = await certify(['--only', QUICK, '--', process.execPath, TEMPLATE]);
    expect(failedIds(report.requirements)).toEqual([]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('certified: ');
    expect(report.target).toEqual({ command: [process.execPath, TEMPLATE], driver: 'exec' });
    expect(report.scenarios).toHaveLength(QUICK.split(',').length);
    const limited = report.scenarios.find(({ id }) => id === 'limited-seconds');
    expect(limited?.timeline.map(({ status, isEarly }) => [status, isEarly])).toEqual([
      [429, false],
      [200, false],
    ]);
    expect(JSON.stringify(report)).not.toMatch(/vendor-[\w-]{16}/);
  });

  test('that fails as the baseline expects is certified, and not certified once the entry is stale', async () => {
    const directory = temporaryDirectory();
    const expectedFailures = { 'list-empty': 'ticket 7', 'client-reports-result': 'ticket 8' };
    writeFileSync(join(directory, 'known.json'), JSON.stringify({ expectedFailures }));
    const words = ['--only', 'list-empty', '--baseline', 'known.json', '--quiet', '--'];
    const known = await certify([...words, process.execPath, '-e', 'process.exit(1)'], directory);
    expect(known.report.scope).toMatch(/known failures? accepted$/);
    expect(known.report.requirements.filter(({ outcome }) => outcome === 'fail')).not.toEqual([]);
    expect(known.report.verdict).not.toBe('not-certified');

    const mended = await certify([...words, process.execPath, TEMPLATE], directory);
    expect(mended.report.problems).toContain(
      'The baseline expects list-empty to fail, but it holds: remove the stale entry.',
    );
    expect([mended.report.verdict, mended.exitCode]).toEqual(['not-certified', 1]);
  });

  test('may stand without --, and takes the options that follow it', async () => {
    const words = ['--only', 'list-empty', '--json', '-', '--quiet', process.execPath, TEMPLATE, '--verbose'];
    const { stdout, exitCode } = await runBinary(['certify', ...words], temporaryDirectory());
    expect(parseReport(stdout)).toMatchObject({ target: { command: words.slice(-3) } });
    expect(exitCode).toBe(0);
  });

  test('that gives up at a ban is certified for that scenario alone, which leaves the result unseen', async () => {
    const client = [process.execPath, join(CLIENTS, 'fetch.ts')];
    const { exitCode, report } = await certify(['--only', 'banned-forbidden', '--', ...client]);
    expect(exitCode).toBe(0);
    expect(report.scope).toContain('in 1 scenario');
    const result = report.requirements.find(({ id }) => id === 'client-reports-result');
    expect(result?.outcome).toBe('skipped');
  });

  test('that fails a requirement is told what to change, and how to repeat it', async () => {
    const scenario = 'update-unknown-pet';
    const client = [process.execPath, join(CLIENTS, 'faulty.ts'), '--fault', 'repeats-404'];
    const { exitCode, stderr, report } = await certify(['--only', scenario, '--', ...client]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`\n✗ ${scenario}: `);
    expect(report.verdict).toBe('not-certified');
    const failed = report.requirements.filter(({ level, outcome }) => level === 'must' && outcome === 'fail');
    expect(failed.map(({ id }) => id)).toEqual(['client-does-not-repeat-refused']);
    expect(report.scope).toMatch(
      /^not-certified: 1 of \d+ MUSTs failed, \d+ of \d+ MUSTs judged in 1 scenario/,
    );
    const [finding] = failed[0]?.findings ?? [];
    expect(finding?.check).toBe(scenario);
    expect(finding?.repeat).toBe(
      `npx stockcheck certify --only ${scenario} -- ${report.target.command.join(' ')}`,
    );
    expect(report.scenarios.find(({ id }) => id === scenario)?.failures).toHaveLength(1);
  });

  test('that hangs is ended with its children', async () => {
    const directory = temporaryDirectory();
    const pidFile = join(directory, 'pid');
    const script = `require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' }).on('spawn', function () {
      require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(this.pid));
    });`;
    writeFileSync(join(directory, 'hang.cjs'), script);
    const words = ['--patience', '2', '--only', 'list', '--', process.execPath, 'hang.cjs'];
    const { exitCode, report } = await certify(words, directory);
    expect(exitCode).toBe(1);
    expect(report.scenarios[0]?.ending).toContain('silent');
    expect(isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });
});

describe('driver none', () => {
  test('judges by the traffic alone what somebody sends', async () => {
    const directory = temporaryDirectory();
    const words = ['certify', '--driver', 'none', '--only', 'list', '--json', 'report.json'];
    const child = spawn(process.execPath, [BINARY, ...words], { cwd: directory });
    let told = '';
    let sent = false;
    child.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      const url = /GET (?<url>http\S+)/.exec(told)?.groups?.['url'];
      const key = /Authorization: (?<key>Bearer \S+)/.exec(told)?.groups?.['key'];
      if (url !== undefined && key !== undefined && !sent) {
        sent = true;
        void fetch(url, { headers: { authorization: key } }).then(() => child.kill('SIGINT'));
      }
    });
    const exitCode = await new Promise((resolve) => {
      child.on('exit', resolve);
    });
    expect(exitCode).toBe(0);
    const report = certifyReport(directory);
    expect(report.scenarios[0]?.timeline).toHaveLength(1);
    expect(report.requirements.find(({ id }) => id === 'client-sends-bearer')?.outcome).toBe('pass');
    expect(report.requirements.find(({ id }) => id === 'client-reports-result')?.outcome).toBe('skipped');
  });
});

test('a program that is not there is one line and exit code 2', async () => {
  const words = ['certify', '--quiet', '--', 'no-such-program-anywhere'];
  const { exitCode, stdout, stderr } = await runBinary(words, temporaryDirectory());
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('no-such-program-anywhere');
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
