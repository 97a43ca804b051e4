import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import { describe, expect, onTestFinished, test } from 'vitest';

import { startDead } from '../../fixtures/load-targets.test-data.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import type { RunningServer } from '../../reference-server/index.ts';
import { LOAD_SCENARIOS } from '../../load/index.ts';
import { loadInProcess, loadTarget } from './run.test-data.ts';
import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { failedIds, seedKey, startFaulty, startTarget } from '../verify/run.test-data.ts';

const BRIEF = ['--self', '--scenario', 'latency', '--rate', '100', '--duration', '1s', '--ramp-up', '0.2'];

describe('against the embedded server', () => {
  test('latency is measured, and every report is written', async () => {
    const directory = temporaryDirectory();
    const words = [...BRIEF, '--report', 'report', '--format', 'openmetrics=metrics.txt'];
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
    expect(stdout).toMatch(/\n\nReport: .*report\.html\n$/);
    expect(read('metrics.txt')).toMatch(/# EOF\n$/);
  });
});

test('a target that refuses connections is exit code 3 and one clear sentence', async () => {
  const url = await startDead();
  const { exitCode, stdout, report } = await loadTarget([url, '--key', 'free=k1', '--timeout', '0.3']);
  expect(exitCode).toBe(3);
  expect(report).toMatchObject({ verdict: 'inconclusive', scenarios: [], budget: { spent: 0 } });
  expect(report?.problems).toEqual([expect.stringContaining(`No answer from ${new URL(url).origin}: `)]);
  expect(report?.problems[0]).toContain('ECONNREFUSED');
  expect(stdout.split('\n').filter((line) => line.includes('No answer'))).toHaveLength(1);
  // Nothing of the scenarios was tried: the report would take longer than any of them otherwise.
  expect(report?.requirements.every(({ outcome }) => outcome === 'skipped')).toBe(true);
});

test.each(['latency', 'capacity'])(
  'profile standard ends %s at the first 429 of a key, and begins no other load with it',
  async (scenario) => {
    const { server } = await startTarget({
      keys: [{ key: 'narrow', plan: 'enterprise', perMinute: 100, perDay: 100_000 }],
    });
    // Somebody else has used most of its minute.
    const headers = { Authorization: 'Bearer narrow' };
    await Promise.all(Array.from({ length: 97 }, () => fetch(`${server.url}/inventory`, { headers })));
    const { verdict, scenarios } = await loadInProcess(
      {
        target: server.url,
        keys: { enterprise: [{ key: 'narrow', perMinute: 100, perDay: 100_000 }] },
        profile: 'standard',
      },
      {
        scenario: [scenario, 'mixed'],
        // A few answers tell it, at so low a rate too.
        threshold: ['p50<10s'],
        rampUp: '0',
        rate: '1',
        maxRate: '1.5',
        duration: '5s',
      },
    );
    expect(verdict).toBe('inconclusive');
    expect(scenarios.map(({ outcome }) => outcome)).toEqual(['inconclusive', 'skipped']);
    expect(scenarios.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the limit of enterprise#1 was met'),
      expect.stringContaining('The limit of each key was met'),
    ]);
    // What came before is not forgotten.
    expect(scenarios.map(({ measurements }) => measurements.length)).toEqual([1, 0]);
  },
);

test('a target that is gone before anything was written to it owes nothing', async () => {
  let served = 0;
  const url = await startHttpServer(
    (_incoming, outgoing) => void outgoing.end('[{"petId":1,"quantity":3,"status":"available"}]'),
    (server) =>
      server.on('request', () => {
        served += 1;
        if (served === 6) {
          server.close().closeAllConnections();
        }
      }),
  );
  const { scenarios, problems } = await loadInProcess(
    {
      target: url,
      keys: { enterprise: [{ key: 'k', perMinute: 600_000, perDay: 6_000_000 }] },
      profile: 'full',
    },
    { scenario: ['latency', 'mixed'], rampUp: '0', rate: '10', duration: '1s', connections: '1' },
  );
  expect(scenarios.at(-1)).toMatchObject({ id: 'mixed', measurements: [{ sent: 0 }] });
  expect(problems).toEqual([]);
});

/** The control of a server, without its capability to issue keys. */
async function startClockOnly({ controlUrl }: RunningServer): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url } = request;
      const body = method === 'GET' ? {} : { body: await text(request) };
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${controlUrl}${url}`, { method, headers, ...body });
      response.writeHead(answer.status, headers).end((await answer.text()).replace('"keys",', ''));
    })();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
}

test.each([
  ['a server that keeps them', null, 'conformant', []],
  ['minutes that are too long', 'window-of-90-seconds', 'nonconformant', ['limit-renews']],
] as const)('limits of configured keys in bursts: %s', async (_what, fault, verdict, failed) => {
  const server = await (fault === null ? startTarget().then((target) => target.server) : startFaulty(fault));
  const report = await loadInProcess(
    {
      target: server.url,
      control: await startClockOnly(server),
      keys: { free: [seedKey('free')] },
      profile: 'full',
    },
    { scenario: ['limit-accuracy'] },
  );
  expect(failedIds(report.requirements)).toEqual(expect.arrayContaining([...failed]));
  expect(report).toMatchObject({ verdict, scenarios: [{ windows: [{ limit: 60 }, {}, {}] }] });
});

test('a history of a load shows which limits it saw broken', async () => {
  const { url } = await startFaulty('minute-free-unlimited');
  const directory = temporaryDirectory();
  const key = seedKey('free');
  const words = '--scenario latency --rate 200 --duration 1s --ramp-up 0 --history run.ndjson.gz'.split(' ');
  const { exitCode, report } = await loadTarget([url, '--key', `free=${key}`, ...words], directory);
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
    const words = ['--scenario', 'latency,mixed,bad-keys', '--duration', '2', '--max-rate', '300'];
    const self = ['--self', '--profile', 'safe', '--dry-run'];
    const { exitCode, stdout, report } = await loadTarget([...self, ...words]);
    expect([exitCode, report]).toEqual([0, null]);
    // A tenth more than 200/s for two seconds after a ramp of one, and ten; 300/s; and 32 for the rest.
    expect(stdout).toContain('Load on the embedded reference server: at most 1192 requests in 2 scenarios');
    expect(stdout).toContain('latency: rate 200/s, duration 2 s');
    expect(stdout).toContain('at most 560 requests');
    expect(stdout).toContain('at most 600 requests');
    expect(stdout).toContain('mixed: left out, since profile safe');
  });
});
