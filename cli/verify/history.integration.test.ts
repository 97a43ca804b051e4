import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { requirement } from '../../contract/requirements/index.ts';
import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import { recordTranscript } from '../../suites/target/index.ts';
import { judgeHistory } from './traffic.ts';
import { judgeReferenceServer } from '../library/verify/judge-reference-server.ts';
import { readReport, runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import { failedIds, startFaulty, wordsFor } from './run.test-data.ts';

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
      selection: null,
      transport: { timeoutMilliseconds: 10_000, insecure: false, certificateAuthority: null },
      signal: new AbortController().signal,
      transcript,
    },
  );
  const { findings } = judgeHistory(await transcript.finish({ do: 'begin', kind: 'verify', subject: url }));
  expect(failedIds(report.requirements)).not.toEqual([]);
  expect(failedIds(findings.judgements)).toEqual(failedIds(report.requirements));
});
