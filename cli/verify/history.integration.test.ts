import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { requirement } from '../../contract/requirements/index.ts';
import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import { recordTranscript } from '../../suites/target/index.ts';
import type { Report } from '../../reports/index.ts';
import { transcriptEnd, transcriptHeader } from '../library/certificate/transcript-header.ts';
import { buildHistoryReport, judgeHistory } from './traffic.ts';
import { judgeReferenceServer } from '../library/verify/judge-reference-server.ts';
import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { failedIds, seedKey, startFaulty, wordsFor } from './run.test-data.ts';

test('a run shows as little as it takes, and its history holds no key and is judged as it was', async () => {
  const server = await startFaulty('update-adds');
  const directory = temporaryDirectory();
  // Of what limit-over-forms announces, much is left, with which findings are made short.
  const words =
    'verify --only many-updates --only limit-over-forms --only revoked-keys --history run.ndjson --json run.json'
      .split(' ')
      .concat(server.url, wordsFor(server));
  const run = await runBinary(words, directory);
  expect([run.exitCode, run.stderr]).toEqual([1, expect.stringContaining('History: run.ndjson')]);
  const text = readFileSync(join(directory, 'run.ndjson'), 'utf8');
  expect(SEED_KEYS.filter(({ key }) => text.includes(key))).toEqual([]);

  const again = await runBinary(['verify', '--har', 'run.ndjson', '--json', 'again.json'], directory);
  const [first, second] = ['run.json', 'again.json'].map((name) =>
    readReport(join(directory, name), 'verify'),
  );
  expect(again.exitCode).toBe(1);
  expect(failedIds(second?.requirements)).toEqual(failedIds(first?.requirements));
  expect(failedIds(second?.requirements)).toContain('update-sets');
  expect(second?.target.url).toBe(server.url);

  // With a control URL nothing is shown that it does not take: one pet, and one update of it.
  const sets = first?.requirements.find(({ id }) => id === 'update-sets');
  const steps = sets?.findings[0]?.trail?.steps ?? [];
  expect(steps).toEqual([
    expect.objectContaining({ do: 'replace inventory', items: [expect.anything()] }),
    expect.objectContaining({ do: 'issue key' }),
    expect.objectContaining({ requests: [expect.objectContaining({ method: 'PATCH', times: 1 })] }),
  ]);

  const replay = (...target: readonly string[]) =>
    runBinary(['replay', 'run.ndjson', 'update-sets-1', '--quiet', ...target], directory);
  expect((await replay('--target', server.url, '--control', server.controlUrl)).exitCode).toBe(1);
  expect((await replay('--self')).exitCode).toBe(0);
});

// All faults were seen to be judged alike.
const SAMPLE = [
  ['body-left-unread-after-401', 'standard', 'authentication'],
  ['ban-never-ends', 'full', 'ban'],
] as const;

test.for(SAMPLE)('a history of %s shows what its run showed', async ([id, profile, area]) => {
  const { url, controlUrl } = await startFaulty(id);
  const transcript = recordTranscript();
  const { report } = await judgeReferenceServer(
    { url, controlUrl },
    {
      profile,
      selects: ({ judges: [first] }) => first !== undefined && requirement(first).area === area,
      transport: { timeoutMilliseconds: 10_000, insecure: false, certificateAuthority: null },
      signal: new AbortController().signal,
      transcript,
    },
  );
  const whole = await transcript.finish(transcriptHeader({ report }), transcriptEnd({ report }));
  expect(failedIds(report.requirements)).not.toEqual([]);
  const again = reportOn(whole);
  expect(outcomesOf(again)).toEqual(outcomesOf(report));
  expect(again.observations).toEqual(report.observations);

  // Whose end is missing may have left open what looks as if it held.
  const lines = gunzipSync(whole).toString().split('\n');
  const cut = reportOn(Buffer.from(`${lines.slice(0, 2).join('\n')}\n`));
  expect(cut).toMatchObject({
    verdict: 'inconclusive',
    problems: [expect.stringContaining('no line that tells its end')],
  });
});

test('what a run left open stays open when its history is judged again', async () => {
  const server = await startFaulty('update-adds');
  const directory = temporaryDirectory();
  const key = ['--key', `free=${seedKey('free')}`];
  const words = ['verify', server.url, ...key, '--profile', 'safe', '--history', 'run.ndjson', '--json'];
  await runBinary([...words, 'run.json'], directory);
  const path = join(directory, 'run.ndjson');
  const [first, ...others] = readFileSync(path, 'utf8').split('\n');
  const open = '{"id":"list-succeeds","outcome":"inconclusive","reason":"It was cut off."}';
  const passed = '{"id":"list-succeeds","outcome":"pass","reason":null}';
  writeFileSync(path, [first, ...others].join('\n').replace(passed, open));
  const again = reportOn(readFileSync(path));
  const whole = readReport(join(directory, 'run.json'), 'verify');
  expect(outcomesOf(again)).toEqual(
    outcomesOf(whole).map((row) =>
      row[0] === 'list-succeeds' ? [row[0], 'inconclusive', 'It was cut off.'] : row,
    ),
  );
});

function reportOn(file: Buffer) {
  return buildHistoryReport(judgeHistory(file), { level: 'must', startedAt: new Date(), durationSeconds: 0 });
}

function outcomesOf(report: Report | null) {
  return (report?.requirements ?? []).map(({ id, outcome, reason }) => [id, outcome, reason]);
}
