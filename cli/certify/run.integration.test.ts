import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import type { CertifyReport } from '../../reports/index.ts';
import { SCENARIOS } from '../../suites/certify/index.ts';
import { failedIds } from '../verify/run.test-data.ts';
import {
  endOfBinary,
  readReport,
  runBinary,
  startBinary,
  temporaryDirectory,
} from '../run-binary.test-data.ts';

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

  test('that gives up at a ban is certified for that scenario alone, which leaves the result unseen', async () => {
    // It may stand without --, and takes the options that follow it.
    const client = [process.execPath, join(CLIENTS, 'fetch.ts'), '--verbose'];
    const { exitCode, report } = await certify(['--only', 'banned-forbidden', ...client]);
    expect(exitCode).toBe(0);
    expect(report.target).toMatchObject({ command: client });
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

  test('that hangs is ended when its patience is over', async () => {
    const words = [
      '--patience',
      '1',
      '--only',
      'list',
      '--',
      process.execPath,
      '-e',
      'setInterval(() => {}, 1e3)',
    ];
    const { exitCode, report } = await certify(words);
    expect(exitCode).toBe(1);
    expect(report.scenarios[0]?.ending).toContain('sent and reported nothing');
  });
});

/** Hands on the list as it came, and takes it for granted that every answer has a Date. */
const RELIES_ON_DATE = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, baseUrl, apiKey } = JSON.parse(line);
  const response = await fetch(baseUrl + '/inventory', { headers: { Authorization: 'Bearer ' + apiKey } });
  const list = await response.text();
  console.log(
    '{"id":' + JSON.stringify(id) + (response.headers.has('date')
      ? ',"ok":true,"value":' + list + '}'
      : ',"ok":false,"error":{"code":"no_date","message":"no Date","status":200}}'),
  );
}
`;

describe('--freedoms', () => {
  // What comes in several lines is a reply that is waited for.
  const words = '--freedoms --only list --patience 5 --report report --driver jsonl --'.split(' ');

  test('a client that relies on what services may leave out is certified, and told so', async () => {
    const client = [process.execPath, '--input-type=module', '--eval', RELIES_ON_DATE];
    const { exitCode, stdout, stderr, report } = await certify([...words, ...client]);
    expect(exitCode).toBe(0);
    const failed = report.freedoms?.filter((row) => row.failed.length > 0);
    // A reply is one line, and a list may come in several.
    expect(failed?.map(({ variant, scenarios }) => [variant, scenarios])).toEqual([
      ['no-date', 1],
      ['white-space-around', 1],
    ]);
    expect(failed?.[0]?.failed.map(({ scenario }) => scenario)).toEqual(['list']);
    expect(report.freedoms?.length).toBeGreaterThan(10);
    expect(stdout).toMatch(/It fails with 2 of \d+ choices that services may make/);
    expect(stderr).toMatch(/Playing \d+ scenarios with another choice each/);
  });

  test('a client that relies on nothing passes with all choices', async () => {
    const { exitCode, stdout } = await certify([...words, process.execPath, join(CLIENTS, 'jsonl.ts')]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/It passes with all \d+ choices that services may make/);
  });
});

test('driver none judges by the traffic alone what somebody sends', async () => {
  const directory = temporaryDirectory();
  const words = ['certify', '--driver', 'none', '--only', 'list', '--json', 'report.json'];
  const child = startBinary(words, directory);
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
  expect((await endOfBinary(child)).exitCode).toBe(0);
  const report = certifyReport(directory);
  expect(report.scenarios[0]?.timeline).toHaveLength(1);
  expect(report.requirements.find(({ id }) => id === 'client-sends-bearer')?.outcome).toBe('pass');
  expect(report.requirements.find(({ id }) => id === 'client-reports-result')?.outcome).toBe('skipped');
});
