import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { expect, onTestFinished, test } from 'vitest';

import { REPORT_WITH_CAUSES, SAMPLE_REPORT } from '../../reports/model/sample-report.test-data.ts';
import { BINARY } from '../run-binary.test-data.ts';
import {
  certify,
  compare,
  ConfigurationError,
  load,
  startReferenceServer,
  verify,
  type CertifyEvent,
  type LoadEvent,
  type ReferenceServer,
  type ReferenceServerOptions,
  type VerifyEvent,
} from './index.ts';

/** The library, bundled as it is published. */
const PUBLISHED = new URL('../dist/index.js', pathToFileURL(BINARY)).href;
const CLIENT = join(import.meta.dirname, '..', '..', 'examples', 'clients', 'driver.js');

/** One check. */
const QUICK = { only: ['check:list'] };

async function start(options: ReferenceServerOptions = {}): Promise<ReferenceServer> {
  const server = await startReferenceServer(options);
  onTestFinished(server.close);
  return server;
}

test('verify judges a target, and tells what happens', async () => {
  const { target, url } = await start();
  const events: VerifyEvent[] = [];
  const report = await verify(target, { ...QUICK, onEvent: (event) => events.push(event) });
  expect(report).toMatchObject({ kind: 'verify', verdict: 'conformant', target: { url } });
  const [plan] = events;
  expect(plan).toMatchObject({ type: 'plan', requests: report.budget.announced });
  const ended = events.flatMap((event) => (event.type === 'check-end' ? [event.check] : []));
  expect(ended.toSorted()).toEqual(plan?.type === 'plan' ? plan.checks.toSorted() : null);
  expect(JSON.stringify([report, events])).not.toContain('free-Amber-Otter-q7RtVx2LkM');
});

test('what decides is said by options, as on the command line', async () => {
  const { target } = await start({ faults: ['update-adds'], variants: ['retry-after-as-date'] });
  const only = ['update-sets'];
  const failures: VerifyEvent[] = [];
  const onEvent = (event: VerifyEvent) => failures.push(...(event.type === 'failure' ? [event] : []));
  const bare = await verify(target, { only, onEvent });
  expect(bare.verdict).toBe('nonconformant');
  expect(failures).toMatchObject([{ requirement: 'update-sets', level: 'must' }]);
  const accepted = await verify(target, { only, expectedFailures: { 'update-sets': 'Known.' } });
  expect(accepted.verdict).toBe('conformant');
  expect(accepted.requirements).toMatchObject([{ id: 'update-sets', expectedFailure: true }]);
  const stale = await verify(target, { ...QUICK, expectedFailures: { 'list-succeeds': 'Known.' } });
  expect(stale.verdict).toBe('nonconformant');
  expect(stale.problems.join()).toContain('The baseline expects list-succeeds to fail, but it holds');
  const open = await verify({ ...target, profile: 'safe' }, { only });
  expect([open.verdict, open.requirements[0]?.outcome]).toEqual(['inconclusive', 'skipped']);
});

test('an aborted run puts back what it changed, and reports what it had judged', async () => {
  const { target, url } = await start();
  const before = await listOf(url);
  const controller = new AbortController();
  const report = await verify(target, {
    signal: controller.signal,
    onEvent: ({ type }) => {
      if (type === 'check-end') {
        controller.abort();
      }
    },
  });
  expect(report.verdict).toBe('inconclusive');
  expect(report.problems.join()).toContain('interrupted');
  expect(await listOf(url)).toBe(before);
});

async function listOf(url: string): Promise<string> {
  const response = await fetch(`${url}/inventory`, {
    headers: { authorization: 'Bearer business-Ember-Crane-z2LdYt7UgN' },
  });
  return response.text();
}

test('a listener that throws spoils no verdict', async () => {
  const { target } = await start();
  const uncaught = Promise.withResolvers<unknown>();
  process.setUncaughtExceptionCaptureCallback(uncaught.resolve);
  onTestFinished(() => process.setUncaughtExceptionCaptureCallback(null));
  const report = await verify(target, {
    ...QUICK,
    onEvent: () => {
      throw new Error('A fault of the listener.');
    },
  });
  expect(report.verdict).toBe('conformant');
  expect(await uncaught.promise).toEqual(new Error('A fault of the listener.'));
});

test('certify judges a client program', async () => {
  const events: CertifyEvent[] = [];
  const report = await certify([process.execPath, CLIENT], {
    only: ['list-empty'],
    onEvent: (event) => events.push(event),
  });
  expect(report).toMatchObject({ kind: 'certify', verdict: 'certified' });
  expect(events).toMatchObject([
    { type: 'scenario-start', scenario: 'list-empty' },
    { type: 'scenario-end', scenario: 'list-empty', outcome: 'pass' },
  ]);
});

test('a failure of a client that is expected is accepted, and no more once it is mended', async () => {
  const only = ['list-empty'];
  const command = [process.execPath, '-e', 'console.log(1)'];
  const report = await certify(command, { only, expectedFailures: { 'list-empty': 'Known.' } });
  expect(report.requirements.map(({ outcome }) => outcome)).toContain('fail');
  expect(report.verdict).not.toBe('not-certified');
  const mended = await certify([process.execPath, CLIENT], {
    only,
    expectedFailures: { 'list-empty': 'Known.' },
  });
  expect(mended.verdict).toBe('not-certified');
  expect(mended.problems.join()).toContain('The baseline expects list-empty to fail, but it holds');
});

test('certify ends with what was seen when it is aborted', async () => {
  const report = await certify([process.execPath, '-e', 'setInterval(() => {}, 1000)'], {
    only: ['list-empty'],
    signal: AbortSignal.timeout(300),
  });
  expect(report.verdict).toBe('inconclusive');
});

test('load measures a target', async () => {
  const { target } = await start();
  const scenarios = [{ scenario: 'latency', rate: 20, duration: 1, thresholds: ['errors<1%'] }];
  const events: LoadEvent[] = [];
  const report = await load(target, { scenarios, onEvent: (event) => events.push(event) });
  // A busy machine may make the figures unsound; that they are there is enough.
  expect(report).toMatchObject({ kind: 'load', scenarios: [{ id: 'latency', measurements: [{}] }] });
  expect(events.at(0)).toMatchObject({ type: 'scenario-start', scenario: 'latency' });
  expect(events.at(-1)).toMatchObject({ type: 'scenario-end', result: { id: 'latency' } });
});

test('compare says what changed between two reports', () => {
  expect(compare(SAMPLE_REPORT, SAMPLE_REPORT).trend).toBe('not worse');
  const { trend, comparison } = compare(SAMPLE_REPORT, REPORT_WITH_CAUSES);
  expect(trend).toBe('worse');
  expect(comparison.requirements).toMatchObject([{ row: { id: 'list-succeeds' }, turn: 'broken' }]);
});

const TARGET = { target: 'http://127.0.0.1:1/v1', keys: { free: ['k1'] } };
const ELSEWHERE = { ...TARGET, target: 'http://inventory.example/v1' };

test.each([
  ['a field', () => verify({ ...TARGET, profile: 'careful' }), /^verify\(\): profile must be/],
  ['a pattern', () => verify(TARGET, { only: ['no-such'] }), /^verify\(\): only no-such matches no/],
  [
    'a failure',
    () => verify(TARGET, { expectedFailures: { no: '' } }),
    /^verify\(\): expectedFailures.* no\./,
  ],
  ['a scenario', () => certify(['true'], { only: ['no-such'] }), /^certify\(\): only no-such matches no/],
  ['no command', () => certify([]), /^certify\(\): command must hold the program/],
  ['a command for nobody', () => certify(['true'], { driver: 'none' }), /^certify\(\): driver none/],
  ['a missing program', () => certify(['no-such-program']), /no-such-program/],
  [
    'a load',
    () => load(TARGET, { scenarios: [{ scenario: 'latency', rate: -1 }] }),
    /^load\(\): .*rate must be/,
  ],
  ['a host', () => load(ELSEWHERE), /add mayLoad inventory\.example/],
  ['a variant', () => startReferenceServer({ variants: ['no-such'] }), /^startReferenceServer\(\): variants/],
])('%s that is wrong is named', async (_what, call, message) => {
  await expect(call()).rejects.toThrow(ConfigurationError);
  await expect(call()).rejects.toThrow(message);
});

test('nothing is written to stdout or stderr, no signal is handled, and the process ends by itself', async () => {
  const script = `
    const { verify, certify, load, startReferenceServer } = await import('${PUBLISHED}');
    const signals = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));
    const seen = new Set();
    const onEvent = () => seen.add(signals().join());
    const server = await startReferenceServer();
    await verify(server.target, { only: ['check:list'], onEvent });
    await certify([process.execPath, ${JSON.stringify(CLIENT)}], { only: ['list-empty'], onEvent });
    await load(server.target, { scenarios: [{ scenario: 'latency', rate: 20, duration: 1 }], onEvent });
    await server.close();
    console.log([...seen].join(' '));
  `;
  const words = ['--input-type=module', '--eval', script];
  expect(await promisify(execFile)(process.execPath, words)).toEqual({ stdout: '0,0,0\n', stderr: '' });
});
