import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { startReferenceServer, type RunningServer } from '../../reference-server/index.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { seedKey, startFaulty } from '../verify/run.test-data.ts';

/** Faults with what shows each: a check, the oracle, other checks beside the one that finds it, the explorer. */
const SAMPLE = [
  ['written-then-400-fraction', 'bad-bodies'],
  ['window-renews-one-more', 'check:minute-limit-free'],
  ['revoked-key-works-on', 'key-revoked-now'],
  ['list-lacks-entry-after-any-update', 'list-complete'],
  ['day-of-twenty-hours', 'day-window-length'],
  ['ban-without-reset', 'explore', '--explore', '600', '--seed', '1'],
] as const satisfies readonly (readonly string[])[];

let reference: RunningServer;

beforeAll(async () => {
  reference = await startReferenceServer({ graceMilliseconds: 0 });
});

afterAll(() => reference.close());

const at = ({ url, controlUrl }: RunningServer) => ['--control', controlUrl, '--target', url];

/** The exit code of `replay` for the first finding of the report in a folder. */
async function replay(directory: string, ...more: readonly string[]): Promise<number | null> {
  const names = readdirSync(join(directory, 'report', 'findings'));
  const id = names.find((name) => name.endsWith('-1.sh'))?.replace(/\.sh$/, '') ?? '';
  return (await runBinary(['replay', 'report', id, '--profile', 'full', '--quiet', ...more], directory))
    .exitCode;
}

test('what a fault led to shows again while it is there, and not without it', async () => {
  const shown = SAMPLE.map(async ([id, check, ...more]) => {
    const directory = temporaryDirectory();
    const { url, controlUrl } = await startFaulty(id);
    const words = ['verify', url, '--control', controlUrl, '--profile', 'full', '--only', check, ...more];
    const { exitCode } = await runBinary([...words, '--quiet', '--report', 'report'], directory);
    const again = await replay(directory, ...at(await startFaulty(id)));
    return [id, exitCode, again, await replay(directory, ...at(reference))];
  });
  expect(await Promise.all(shown)).toEqual(SAMPLE.map(([id]) => [id, 1, 1, 0]));
});

/** Judges a faulty server in real time, with one key that no check makes wait. */
async function judgeInRealTime(id: string, check: string) {
  const directory = temporaryDirectory();
  const server = await startFaulty(id);
  const secret = seedKey('business');
  const selection = ['--only', check, '--profile', 'standard'];
  const words = ['verify', server.url, '--key', `business=${secret}`, ...selection, '--quiet'];
  expect((await runBinary([...words, '--report', 'report'], directory)).exitCode).toBe(1);
  return { directory, server, secret };
}

test('what was sent without a key is sent again without one', async () => {
  const { directory, server } = await judgeInRealTime('list-without-key', 'keyless-reads');
  expect(await replay(directory, '--target', server.url)).toBe(1);
  expect(await replay(directory, '--target', reference.url)).toBe(0);
});

test('an update without a key is sent again without one if it was refused, and takes one if it was carried out', async () => {
  const refused = await judgeInRealTime('missing-key-forbidden', 'keyless-updates');
  expect(await replay(refused.directory, '--target', refused.server.url)).toBe(1);
  expect(await replay(refused.directory, '--target', reference.url)).toBe(0);
  const accepted = await judgeInRealTime('update-without-key', 'keyless-updates');
  const words = ['replay', 'report', 'missing-key-1', '--target', accepted.server.url];
  const { exitCode, stderr } = await runBinary(words, accepted.directory);
  expect(stderr).toContain('what the target carries out is read before, and put back, with a key');
  expect(exitCode).toBe(2);
});

test('in real time a finding of updates takes one key, and puts back each pet', async () => {
  const { directory, server, secret } = await judgeInRealTime('update-answered-with-old-quantity', 'update');
  const headers = { Authorization: `Bearer ${seedKey('pro')}` };
  const listed = async (): Promise<string> => (await fetch(`${server.url}/inventory`, { headers })).text();
  const before = await listed();
  expect(await replay(directory, '--target', server.url, '--key', `business=${secret}`)).toBe(1);
  expect(await listed()).toBe(before);
  expect(await replay(directory, '--target', reference.url, '--key', `business=${secret}`)).toBe(0);
});

test('no key stands in the files of findings', async () => {
  const { directory, secret } = await judgeInRealTime('error-message-as-object', 'bad-bodies');
  const folder = join(directory, 'report', 'findings');
  const names = readdirSync(folder);
  expect(names).toContain('error-message-1.sh');
  expect(statSync(join(folder, 'error-message-1.sh')).mode & 0o111).toBe(0o111);
  for (const name of names) {
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain(secret);
  }
  const none = await runBinary(['replay', 'report', 'error-message-9', '--self'], directory);
  expect(none.stderr).toContain('error-message-9: report holds no such finding with a trail.');
  expect(none.exitCode).toBe(2);
});
