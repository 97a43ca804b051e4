import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { hostileSpellings, keysShown, signingKey, textsIn } from '../verify/hostile-spellings.test-data.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';

const OUTPUTS =
  '--json out.json --report report --history history.ndjson --certificate certificate.json'.split(' ');
const SCENARIOS = 'list,list-empty,update-unknown-pet,update-beyond-double';

/** A client that repeats its key wherever it can: in its request, in its reply, and on both streams. */
const INDISCREET = `
import { appendFileSync } from 'node:fs';
const { STOCKCHECK_API_KEY: key, STOCKCHECK_BASE_URL: base } = process.env;
appendFileSync(process.argv[2], key + '\\n');
if (JSON.stringify(process.env).includes('PRIVATE KEY')) process.exit(1);
const spellings = (${hostileSpellings.toString()})(key);
const text = spellings.join(' ');
console.error('Error: no inventory for ' + text);
console.log(text);
const query = spellings.map((spelling) => 'key=' + encodeURIComponent(spelling)).join('&');
const headers = { authorization: 'Bearer ' + key, 'user-agent': text, 'content-type': text };
const response = await fetch(base + '/inventory/' + spellings[2] + '?' + query, { method: 'PATCH', headers, body: text });
await response.text();
if (base.length % 2 === 0) {
  console.log(JSON.stringify({ ok: false, error: { code: text, message: text, status: 404 } }));
} else {
  console.log(text);
}
`;

test('no key of a client is shown in a report or on the terminal, though the client repeats it', async () => {
  const directory = temporaryDirectory();
  const client = join(directory, 'indiscreet.mjs');
  const told = join(temporaryDirectory(), 'keys');
  writeFileSync(client, INDISCREET);
  const { exitCode, stdout, stderr } = await runBinary(
    ['certify', ...OUTPUTS, '--only', SCENARIOS, '--', process.execPath, client, told],
    directory,
    { STOCKCHECK_CERTIFICATE_KEY: signingKey() },
  );
  expect(exitCode).toBe(1);
  const keys = readFileSync(told, 'utf8').trim().split('\n');
  expect(keys).toHaveLength(4);
  const texts = [{ name: 'stdout', text: stdout }, { name: 'stderr', text: stderr }, ...textsIn(directory)];
  expect(texts.map(({ name }) => name).filter((name) => name.includes('report'))).toHaveLength(4);
  expect(keysShown(keys, texts)).toEqual([]);
  expect(texts.some(({ name }) => name.endsWith('certificate.transcript.jsonl.gz'))).toBe(true);
  expect(stdout).not.toContain('exit code 1');
  expect(readFileSync(join(directory, 'out.json'), 'utf8')).toContain('client#1');
});
