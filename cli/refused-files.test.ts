import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

import { beforeAll, expect, test } from 'vitest';

import { directoryOfFile } from '../contract/temporary-directory.test-data.ts';
import { SAMPLE_REPORT } from '../reports/model/sample-report.test-data.ts';
import { recordTranscript } from '../suites/target/index.ts';
import { refusalOf } from './refusal.test-data.ts';

const directory = directoryOfFile();

beforeAll(async () => {
  const whole = await recordTranscript().finish({
    do: 'begin',
    format: 1,
    kind: 'verify',
    subject: 'http://h/v1',
  });
  const text = gunzipSync(whole).toString();
  const { responseTimes: _, ...service } = SAMPLE_REPORT;
  const files = {
    'run.ndjson.gz': whole,
    'cut.ndjson': text.slice(0, -10),
    'changed.ndjson': `${text}{"do":"dance"}\n`,
    'later.ndjson': text.replace('"format":1', '"format":2'),
    'client.ndjson': text.replace('"kind":"verify"', '"kind":"certify"'),
    'service.json': JSON.stringify(service),
    'other.json': '{"kind":"load"}',
    'broken.json': '{"kind":',
    'broken.har': '{"log":\n nothing}',
    'packed.har': gzipSync('{"log":{"entries":[]}}'),
    'zipped.har.zip': 'PK\x03\x04',
    'wide.har': Buffer.from('\uFEFF{"log":{"entries":[]}}', 'utf16le'),
  };
  Object.entries(files).forEach(([name, content]) => writeFileSync(join(directory, name), content));
  symlinkSync('circle.json', join(directory, 'circle.json'));
});

test.each([
  ['verify --har run.ndjson.gz --exclusive', '--exclusive has no place beside --har run.ndjson.gz'],
  ['verify --har cut.ndjson', '--har cut.ndjson cannot be judged again: it ends in the middle of a line'],
  ['verify --har changed.ndjson', '--har changed.ndjson cannot be judged again: line 2: '],
  ['verify --har later.ndjson', 'its format is 2, and this version of stockcheck reads 1'],
  ['verify --har client.ndjson', 'it is a history of stockcheck "certify"'],
  ['verify --har missing.har', '--har missing.har: there is no such file'],
  ['verify --har broken.har', "--har broken.har is not JSON, line 2, column 3: unexpected token 'o'"],
  [
    'verify --har packed.har',
    'in the middle of a line. Unpack it first if it is no history but an archive (HAR)',
  ],
  ['verify --har zipped.har.zip', '--har zipped.har.zip is a zip archive; unpack it first'],
  ['verify --har wide.har', '--har wide.har is written in UTF-16; save it in UTF-8'],
  ['verify --har circle.json', '--har circle.json: its symbolic links lead in a circle'],
  ['verify --config circle.json', '--config circle.json: its symbolic links lead in a circle'],
  [
    'verify --self --events circle.json',
    '--events circle.json: nothing can be written to circle.json (ELOOP)',
  ],
  ['verify --har missing.har --profile full', '--profile has no place beside --har'],
  ['verify --self --history -', '--history takes a file'],
  ['verify --self --history run.ndjson --dry-run', '--history has no meaning with --dry-run'],
  ['verify --self --history nowhere/run.ndjson', '--history nowhere/run.ndjson'],
  ['verify --self --format html=', '--format html: the name of the file is empty'],
  ['load --self --history run.ndjson --dry-run', '--history has no meaning with --dry-run'],
  ['replay missing.json', 'missing.json: there is no such file'],
  ['replay other.json', 'other.json is no report of stockcheck'],
  ['verify --self --last-failed other.json', '--last-failed other.json is no report of stockcheck'],
  ['verify --self --last-failed http://127.0.0.1:1/v1', '--last-failed takes a report, not a target'],
  ['serve --like service.json --variant no-ban', '--like and --variant exclude each other'],
  ['serve --like missing.json', '--like missing.json: there is no such file'],
])('%s is refused in one line that names what cannot be', async (line, message) => {
  const words = line.split(' ').map((word) => (/json|\.har/.test(word) ? join(directory, word) : word));
  const { exitCode, text } = await refusalOf(words);
  expect([exitCode, text.replaceAll(`${directory}/`, '')]).toEqual([2, expect.stringContaining(message)]);
  expect(text.trim().split('\n')).toHaveLength(1);
});
