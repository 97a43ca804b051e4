import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { beforeEach, expect, test } from 'vitest';

import { recordTranscript } from '../../suites/target/index.ts';
import { refusalOf } from '../refusal.test-data.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';

let directory = '';

beforeEach(async () => {
  directory = temporaryDirectory();
  const whole = await recordTranscript().finish({ do: 'begin', kind: 'verify', subject: 'http://h/v1' });
  const text = gunzipSync(whole).toString();
  const files = {
    'run.ndjson.gz': whole,
    'cut.ndjson': text.slice(0, -10),
    'changed.ndjson': `${text}{"do":"dance"}\n`,
    'client.ndjson': text.replace('"kind":"verify"', '"kind":"certify"'),
  };
  Object.entries(files).forEach(([name, content]) => writeFileSync(join(directory, name), content));
});

test.for([
  ['--har run.ndjson.gz --exclusive', /^--exclusive has no place beside --har \S+run\.ndjson\.gz/],
  ['--har cut.ndjson', /^--har \S+cut\.ndjson cannot be judged again: it ends in the middle of a line/],
  ['--har changed.ndjson', /^--har \S+changed\.ndjson cannot be judged again: line 2: /],
  ['--har client.ndjson', /it is a history of stockcheck "certify"/],
  ['--har missing.har', /^--har \S+missing\.har: there is no such file/],
  ['--har missing.har --profile full', /^--profile has no place beside --har/],
  ['--self --history -', /^--history takes a file/],
  ['--self --history run.ndjson --dry-run', /^--history has no meaning with --dry-run/],
  ['--self --history nowhere/run.ndjson', /^--history \S+nowhere\/run\.ndjson/],
] as const)('verify %s is refused with a message that names what cannot be', async ([words, message]) => {
  const inDirectory = words
    .split(' ')
    .map((word) => (/json|\.har$/.test(word) ? join(directory, word) : word));
  const { exitCode, text } = await refusalOf(['verify', ...inDirectory]);
  expect([exitCode, text.replace(/^stockcheck: /, '')]).toEqual([2, expect.stringMatching(message)]);
});
