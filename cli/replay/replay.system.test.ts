import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { FAULTS, startReferenceServer, type RunningServer } from '../../reference-server/index.ts';
import { repeatableFindings, type RepeatableFinding } from '../../reports/index.ts';
import { renderScript } from '../../reports/script/render-script.ts';
import { trailCheck } from '../../suites/verify/index.ts';
import { runForTest } from '../../suites/verify/run-suite.test-data.ts';
import { describeReferenceServer } from '../library/embedded/embedded-target.ts';
import { BINARY, readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { readFinding } from './read-finding.ts';

/** Faults with a check that shows each: altered keys, the inventory, waits, the day, what is rare, fields and bodies. */
const SAMPLE = [
  ['error-message-as-object', 'bad-bodies'],
  ['key-at-the-end-of-a-token', 'altered-keys'],
  ['written-then-400-fraction', 'bad-bodies'],
  ['keys-of-a-plan-share-the-day', 'days-apart'],
  ['revoked-key-works-on', 'key-revoked-now'],
  ['minute-free-one-more', 'check:minute-limit-free'],
  // What the server remembers of earlier sequences, for long or as its last.
  ['repeated-update-from-memory', 'explore'],
  ['list-lacks-entry-once-in-ten', 'explore'],
  ['ban-without-reset', 'explore'],
  ['window-of-30-seconds', 'explore'],
] as const;

let reference: RunningServer;

beforeAll(async () => {
  reference = await startReferenceServer({ graceMilliseconds: 0 });
});

afterAll(() => reference.close());

async function startFaulty(id: string): Promise<RunningServer> {
  const fault = FAULTS.find((one) => one.id === id);
  if (fault === undefined) {
    throw new Error(`There is no fault ${id}`);
  }
  return startReferenceServer({ alterations: [fault.alter], graceMilliseconds: 0 });
}

function brokenBy(id: string): string {
  return FAULTS.find((one) => one.id === id)?.breaks ?? '';
}

/** Judges a faulty server by some checks. @returns the folder that holds the folder of the report */
async function judgeFaulty(id: string, check: string, ...more: readonly string[]): Promise<string> {
  const directory = temporaryDirectory();
  const server = await startFaulty(id);
  const words = ['verify', server.url, '--control', server.controlUrl, '--profile', 'full', '--quiet'];
  await runBinary([...words, '--only', check, ...more, '--report', 'report'], directory);
  await server.close();
  return directory;
}

/** Runs a script as a user would. */
async function runScript(
  path: string,
  server: RunningServer,
  settings: Readonly<Record<string, string>> = {},
) {
  const child = spawn('sh', [path], {
    // Nobody has installed stockcheck there.
    cwd: dirname(path),
    env: { PATH: process.env['PATH'], TARGET: server.url, CONTROL: server.controlUrl, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [shown, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, shown: shown + errors };
}

/** @returns a `PATH` by which a shell finds stockcheck */
function install(directory: string): string {
  const programs = join(directory, 'programs');
  mkdirSync(programs);
  const program = join(programs, 'stockcheck');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(program, 0o755);
  return `${programs}${delimiter}${process.env['PATH'] ?? ''}`;
}

async function replay(path: string, server: RunningServer) {
  const { trail, requirement } = readFinding(path, null);
  const { judgements } = await runForTest(
    { ...describeReferenceServer(server), profile: 'full' },
    { checks: [trailCheck(trail, requirement)], selects: () => true },
  );
  return judgements.find(({ id }) => id === requirement)?.outcome;
}

describe.each(SAMPLE)('what %s led to', (id, check) => {
  test('shows again while the fault is there, and not without it', async () => {
    const directory = temporaryDirectory();
    const requirement = brokenBy(id);
    const first = await startFaulty(id);
    const words = [
      'verify',
      first.url,
      '--control',
      first.controlUrl,
      '--only',
      check,
      ...(check === 'explore' ? ['--explore', '1500', '--seed', '1'] : ['--only', requirement]),
      '--quiet',
    ];
    await runBinary([...words, '--report', 'report'], directory);
    await first.close();
    const script = join(directory, 'report', 'findings', `${requirement}-1.sh`);
    const archive = script.replace(/sh$/, 'har');
    expect(statSync(script).mode & 0o111).toBe(0o111);

    const faulty = await startFaulty(id);
    const there = await runScript(script, faulty);
    expect(there.shown).toContain('The fault is there');
    expect(there.exitCode).toBe(1);
    expect(await replay(archive, faulty)).toBe('fail');
    await faulty.close();

    // What is not there is looked for in each attempt, with a process for each request; two show that there are several.
    const gone = await runScript(script, reference, { ATTEMPTS: '2' });
    expect(gone.shown).toContain('The fault was not seen');
    expect(gone.exitCode).toBe(0);
    expect(await replay(archive, reference)).toBe('pass');
  });
});

test('what other checks had a part in shows once the whole run is sent again', async () => {
  const id = 'list-lacks-entry-after-any-update';
  const directory = await judgeFaulty(id, 'list-complete');
  const script = join(directory, 'report', 'findings', 'list-complete-1.sh');
  const again = ['replay', 'report', '--finding', 'list-complete-1', '--profile', 'full'];

  const faulty = await startFaulty(id);
  const there = await runScript(script, faulty);
  expect(there.shown).toContain('The trail alone did not show the fault.');
  expect(there.exitCode).toBe(1);
  await faulty.close();
  const other = await startFaulty(id);
  const replayed = await runBinary(
    [...again, '--target', other.url, '--control', other.controlUrl],
    directory,
  );
  expect(replayed.stderr).toContain('The trail alone did not show the fault.');
  expect(replayed.exitCode).toBe(1);
  await other.close();

  expect((await runScript(script, reference)).exitCode).toBe(0);
  expect((await runBinary([...again, '--self', '--quiet'], directory)).exitCode).toBe(0);
});

/** Rewrites a report as if neither the trail of its first finding nor the whole run had shown anything. */
function showNothing(path: string): RepeatableFinding {
  const report = readReport(path, 'verify');
  const first = report === null ? undefined : repeatableFindings(report)[0];
  const place = report?.requirements.findIndex(({ id }) => id === first?.requirement) ?? -1;
  const row = report?.requirements[place];
  if (report === null || first === undefined || row === undefined) {
    throw new Error('The report holds no finding with a trail.');
  }
  const nothing = { keys: [], startedAt: null, steps: [], wrote: [] };
  const expectation = { expect: 'limited', most: 0, answers: [] } as const;
  const trail = { ...first.trail, ...nothing, expectation, inWholeRun: { until: 1, expectation } };
  const requirements = report.requirements.with(place, {
    ...row,
    findings: [{ message: first.message, ...row.findings[0], trail }],
  });
  writeFileSync(path, JSON.stringify({ ...report, wholeRun: nothing, requirements }));
  return { ...first, trail, wholeRun: nothing };
}

test.each([
  ['error-message-as-object', ['error-message'], 'all checks are performed again', 'performs all checks'],
  [
    'ban-without-reset',
    ['explore', '--explore', '600', '--seed', '1'],
    'the same is explored again',
    'explores the same again',
  ],
] as const)(
  'what neither the trail of %s nor the whole run shows is looked for as it was found',
  async (id, [check, ...more], told, toldByScript) => {
    const directory = await judgeFaulty(id, check, ...more);
    const found = showNothing(join(directory, 'report', 'report.json'));
    const again = ['replay', 'report', '--finding', found.id, '--profile', 'full'];
    const faulty = await startFaulty(id);
    const there = [...again, '--target', faulty.url, '--control', faulty.controlUrl];
    const replayed = await runBinary(there, directory);
    expect(replayed.stderr).toContain(told);
    expect(replayed.exitCode).toBe(1);
    const script = join(directory, 'report', 'findings', `${found.id}.sh`);
    writeFileSync(script, renderScript(found));
    const asked = await runScript(script, faulty, { PATH: install(directory) });
    expect(asked.shown).toContain(`so stockcheck ${toldByScript}`);
    expect(asked.exitCode).toBe(1);
    await faulty.close();
    expect((await runBinary([...again, '--self', '--quiet'], directory)).exitCode).toBe(0);
  },
);

test('a script asks the oracle what the answers alone do not tell', async () => {
  const id = 'window-renews-one-more';
  const directory = await judgeFaulty(id, 'remaining-falls');
  const path = install(directory);
  const report = readReport(join(directory, 'report', 'report.json'), 'verify');
  const found = report === null ? [] : repeatableFindings(report);
  const ofOracle = found.find(({ trail }) => trail.expectation === null && trail.isOracles === true);
  const script = join(directory, 'report', 'findings', `${ofOracle?.id}.sh`);

  const faulty = await startFaulty(id);
  expect((await runScript(script, faulty, { PATH: path })).exitCode).toBe(1);
  await faulty.close();
  expect((await runScript(script, reference, { PATH: path })).exitCode).toBe(0);
});

test('the oracle may say by another requirement what is wrong with a count', async () => {
  const id = 'window-renews-one-more';
  const other = 'remaining-counts-operations';
  const directory = await judgeFaulty(id, 'remaining-falls');
  const path = join(directory, 'report', 'report.json');
  const report = readReport(path, 'verify');
  const findings = report === null ? [] : repeatableFindings(report);
  const number = findings.findIndex(({ trail }) => trail.isOracles === true) + 1;
  // As if the run had called it something else.
  const renamed = [
    ['"remaining-counts-operations"', '"remaining-in-range"'],
    ['"remaining-falls"', '"remaining-counts-operations"'],
  ] as const;
  const written = renamed.reduce((json, [from, to]) => json.replaceAll(from, to), readFileSync(path, 'utf8'));
  writeFileSync(path, written);

  const again = ['replay', 'report', '--finding', `${other}-${number}`, '--profile', 'full', '--quiet'];
  const faulty = await startFaulty(id);
  const there = [...again, '--target', faulty.url, '--control', faulty.controlUrl];
  const replayed = await runBinary(there, directory);
  expect(replayed.stdout).toContain('✗ remaining-falls');
  expect(replayed.exitCode).toBe(1);
  await faulty.close();
  expect((await runBinary([...again, '--self'], directory)).exitCode).toBe(0);
});

test('what only the check that found it can tell is told by that check', async () => {
  const id = 'day-of-twenty-hours';
  const directory = await judgeFaulty(id, 'day-window-length');
  const { trail, check } = readFinding(join(directory, 'report'), 'day-limit-free-1');
  expect({ expectation: trail.expectation, check }).toEqual({
    expectation: null,
    check: 'day-window-length',
  });
  const again = ['replay', 'report', '--finding', 'day-limit-free-1', '--profile', 'full', '--quiet'];
  const faulty = await startFaulty(id);
  const there = [...again, '--target', faulty.url, '--control', faulty.controlUrl];
  expect((await runBinary(there, directory)).exitCode).toBe(1);
  await faulty.close();
  expect((await runBinary([...again, '--self'], directory)).exitCode).toBe(0);
});

test('the command replays a finding of a report, and no key stands in any of its files', async () => {
  const directory = temporaryDirectory();
  const server = await startFaulty('error-message-as-object');
  const keys = describeReferenceServer(server).keys?.free ?? [];
  const key = typeof keys[0] === 'string' ? keys[0] : '';
  const words = ['verify', server.url, '--key', `free=${key}`, '--only', 'bad-bodies', '--quiet'];
  await runBinary([...words, '--report', 'report'], directory);
  const report = readReport(join(directory, 'report', 'report.json'), 'verify');
  const ids = report === null ? [] : repeatableFindings(report).map((one) => one.id);
  expect(ids).toContain('error-message-1');
  const again = ['replay', 'report', '--finding', 'error-message-1', '--key', `free=${key}`, '--quiet'];
  expect((await runBinary(again, directory)).exitCode).toBe(1);
  await server.close();
  expect(
    (await runBinary(['replay', 'report', '--finding', 'error-message-1', '--self', '--quiet'], directory))
      .exitCode,
  ).toBe(0);
  const none = await runBinary(['replay', 'report', '--finding', 'error-message-9', '--self'], directory);
  expect(none.stderr).toContain('--finding error-message-9: report holds no such finding with a trail.');
  expect(none.exitCode).toBe(2);
  const folder = join(directory, 'report', 'findings');
  for (const name of readdirSync(folder)) {
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain(key);
  }
});
