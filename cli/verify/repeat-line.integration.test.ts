import { requestsOfTrail } from '../../contract/trail.ts';
import { expect, test } from 'vitest';
import type { VerifyReport } from '../../reports/index.ts';
import { runLines, temporaryDirectory, type BinaryResult } from '../run-binary.test-data.ts';
import { alterationOf, startTarget, verifyTarget } from './run.test-data.ts';

const KEY = 'free-Amber-Otter-q7RtVx2LkM';

/** Runs a line as a user would who pastes it into a shell. */
const paste = (line: string, variables: Readonly<Record<string, string>> = {}): Promise<BinaryResult> =>
  runLines(line, temporaryDirectory(), variables, ['sh']);

function findingOf(report: VerifyReport | null, id: string) {
  const row = report?.requirements.find((requirement) => requirement.id === id);
  const [finding] = row?.findings ?? [];
  if (row?.outcome !== 'fail' || finding === undefined) {
    throw new Error(`${id} did not fail`);
  }
  return finding;
}

test('with issued keys, the lines of a finding run its check again and send its request again', async () => {
  const { description } = await startTarget({
    alterations: [alterationOf('written-then-400-fraction'), alterationOf('reset-as-http-date')],
  });
  const { target, control } = description;
  const words = `--control ${control} --only bad-bodies --only header-reset`.split(' ');
  const { report } = await verifyTarget({ target, ...(control === undefined ? {} : { control }) }, words);

  const written = findingOf(report, 'refused-changes-nothing');
  // The request that wrote is shown, not the list that reveals it.
  expect(written.exchange).toMatchObject({ request: { method: 'PATCH' }, response: { status: 400 } });
  const sent = written.trail === undefined ? [] : requestsOfTrail(written.trail);
  expect(sent.map(({ method, answers }) => `${method} ${answers.at(-1)?.status}`)).toEqual(
    expect.arrayContaining(['PATCH 400', 'GET 200']),
  );
  expect(written.check).toBe('bad-bodies');
  expect(written.repeat).toMatch(/^npx stockcheck verify .* --only bad-bodies$/);

  const list = findingOf(report, 'header-reset');
  const curl = list.curl ?? '';
  expect(curl.indexOf(`${target}/inventory`)).toBeLessThan(300);
  const [, name = ''] = /(KEY_\w+):\?/.exec(curl) ?? [];
  const issued = await fetch(`${control}/keys`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"plan":"business"}',
  });
  const [, key = ''] = /"key":"([^"]+)"/.exec(await issued.text()) ?? [];
  const repeated = await paste(curl, { [name]: key });
  expect(repeated.stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(repeated.stdout).toMatch(/X-RateLimit-Reset: \w{3}, /i);

  const line = written.repeat?.replace('--config config.json ', '') ?? '';
  const again = await paste(`${line.replace('verify', `verify ${target}`)} --quiet`);
  expect(again.stdout).toContain('✗ refused-changes-nothing');
  expect(again.exitCode).toBe(1);
});

test('with configured keys, the lines name a variable for each secret and say what it has to be', async () => {
  const { description } = await startTarget({ alterations: [alterationOf('quantity-as-string-once')] });
  const { target } = description;
  const words = `${target} --key free=${KEY},second-key-of-this-test --timeout 7 --only check:list`
    .split(' ')
    .concat(['--header', 'X-Api-Token: hidden-value', '--header', 'X-Team: blue']);
  const { report, stdout } = await verifyTarget({ target }, words);
  const { repeat = '', curl = '' } = findingOf(report, 'item-quantity');
  expect(JSON.stringify(report) + stdout).not.toMatch(/Amber-Otter|second-key|hidden-value/);
  expect(repeat).toContain("--header 'X-Team: blue' --timeout 7 --only check:list");

  const unset = await paste(curl, { HEADER_X_API_TOKEN: 'anything' });
  expect(unset.exitCode).not.toBe(0);
  expect(unset.stderr).toContain('KEY_FREE_1: set it to a key of the plan free');
  const sent = await paste(curl, { KEY_FREE_1: KEY, HEADER_X_API_TOKEN: 'anything' });
  expect(sent.stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(sent.stdout).toMatch(/"quantity":"\d+"/);

  const missing = await paste(repeat);
  expect(missing.stderr).toContain('KEY_FREE_1: set it to free#1');
  const line = repeat.replace('--config config.json ', '');
  const variables = { KEY_FREE_1: KEY, KEY_FREE_2: 'second-key-of-this-test', HEADER_X_API_TOKEN: 'x' };
  const again = await paste(`${line} --quiet`, variables);
  expect(again.stdout).toContain('✗ item-quantity');
  expect(again.exitCode).toBe(1);
});
