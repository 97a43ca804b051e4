import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { CHECKS } from '../../suites/verify/index.ts';
import { HISTORY_MONITORS, MONITORS } from '../../suites/oracle/index.ts';
import { startHttpServer } from '../../fixtures/loopback.test-data.ts';
import { verify } from '../library/verify/verify.ts';
import { runBinary, temporaryDirectory } from '../run-binary.test-data.ts';
import {
  alterationOf,
  answering,
  outcomeIn,
  startTarget,
  verifyTarget,
  withoutErrorCode,
  writeJson,
} from './run.test-data.ts';

test('a conformant target with a control URL is judged by every must, within the announced budget', async () => {
  const { description, requests } = await startTarget();
  const { exitCode, stdout, report } = await verifyTarget(description);
  const musts = report?.requirements.filter(({ level }) => level === 'must') ?? [];
  expect(musts.filter(({ outcome }) => outcome !== 'pass').map(({ id }) => id)).toEqual([]);
  expect(musts.length).toBeGreaterThan(0);
  expect(exitCode).toBe(0);
  expect(report?.verdict).toBe('conformant');
  expect(stdout).toContain(`conformant in profile full: ${musts.length} of ${musts.length} MUSTs judged`);
  expect(requests.length).toBe(report?.budget.spent);
  expect(requests.length).toBeLessThanOrEqual(report?.budget.announced ?? 0);

  // The register is complete the other way round, too: a judge declares each requirement that it judges.
  const declared = [
    ...CHECKS.map(({ id, judges, alsoJudges = [] }) => ({ id, judges: [...judges, ...alsoJudges] })),
    ...MONITORS,
    ...HISTORY_MONITORS,
  ];
  const undeclared = (report?.requirements ?? []).flatMap(({ id, checks }) =>
    declared
      .filter((judge) => checks.includes(judge.id) && !judge.judges.some((judged) => judged === id))
      .map((judge) => [judge.id, id]),
  );
  expect(undeclared).toEqual([]);
});

test('the embedded server is judged with --self, and the verdict and every report say so', async () => {
  const directory = temporaryDirectory();
  const words = ['verify', '--self', '--profile', 'safe', '--report', 'report'];
  const { exitCode, stdout } = await runBinary(words, directory);
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')[0]).toMatch(/conformant in profile safe: .* [(]embedded reference server[)]$/);
  for (const name of ['report.html', 'report.md', 'report.json', 'junit.xml']) {
    const text = readFileSync(join(directory, 'report', name), 'utf8');
    expect(text).toContain('embedded reference server');
  }
});

test('a run that lost its target is exit code 2, and says what might have named it', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'stockcheck.json'), '{}');
  const { exitCode, stdout, stderr } = await runBinary(['verify', '--quiet'], directory, {
    STOCKCHECK_TARGET: '',
    STOCKCHECK_TARGETS: 'http://127.0.0.1:8080/v1',
  });
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('TARGET is missing');
  expect(stderr).toContain('STOCKCHECK_TARGET is set, but empty');
  expect(stderr).toContain(
    'STOCKCHECK_TARGETS is not known and has no effect. Did you mean STOCKCHECK_TARGET?',
  );
  expect(stderr).toContain('stockcheck.json is not read');
});

test('a violation is exit code 1, and the report names requirement, exchange and curl line', async () => {
  const { description } = await startTarget({ alterations: [alterationOf('quantity-as-string-once')] });
  const { exitCode, stdout, stderr, report } = await verifyTarget(description, ['--profile', 'safe']);
  expect(exitCode).toBe(1);
  expect(report?.verdict).toBe('nonconformant');
  // It is told as soon as it is seen, and once.
  const told = stderr.split('\n').filter((line) => line.startsWith('✗ item-quantity (must): '));
  expect(told).toHaveLength(1);
  expect(stderr.indexOf('✗ item-quantity')).toBeLessThan(stderr.lastIndexOf('done: '));
  const failed = report?.requirements.filter(({ outcome }) => outcome === 'fail') ?? [];
  expect(failed.map(({ id }) => id)).toContain('item-quantity');
  const musts = report?.requirements.filter(({ level }) => level === 'must') ?? [];
  const failedMusts = failed.filter(({ level }) => level === 'must').length;
  expect(stdout).toMatch(
    new RegExp(
      `^✗ nonconformant in profile safe: ${failedMusts} of ${musts.length} MUSTs failed, [0-9]+ of ${musts.length} MUSTs judged`,
    ),
  );
  const { tally, findings } = failed.find(({ id }) => id === 'item-quantity') ?? {};
  expect(tally?.of).toBe('responses');
  expect(tally?.judged).toBeGreaterThan(1);
  expect(stdout).toContain(`Seen in all ${tally?.violated} responses.`);
  const [finding] = findings ?? [];
  expect(finding?.exchange?.response?.body).toMatch(/"quantity":"\d+"/);
  expect(finding?.curl).toContain(`${description.target}/inventory`);
  expect(stdout).toContain('item-quantity');
  expect(stdout).toContain('curl ');
});

describe('--bail', () => {
  test('ends the run at the first violation that decides, and puts back what was changed', async () => {
    const { description, inventory, requests } = await startTarget({
      alterations: [alterationOf('quantity-as-string-once')],
    });
    const before = inventory();
    const { exitCode, stdout, report } = await verifyTarget(description, ['--bail']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('The run ended at the first failure (--bail)');
    expect(outcomeIn(report, 'item-quantity')).toBe('fail');
    expect(outcomeIn(report, 'minute-limit-business')).toBe('inconclusive');
    expect(requests.length).toBeLessThan(1_000);
    expect(inventory()).toEqual(before);
  });

  test('goes on after a failure that is expected, or that does not decide', async () => {
    const { description } = await startTarget({
      alterations: [withoutErrorCode, alterationOf('challenge-empty')],
    });
    const directory = temporaryDirectory();
    writeJson(directory, 'baseline.json', { expectedFailures: { 'error-code': 'ticket 7' } });
    const words = ['--profile', 'safe', '--bail', '--baseline', 'baseline.json'];
    const { exitCode, stderr, report } = await verifyTarget(description, words, directory);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('✗ www-authenticate (should): ');
    expect(stderr).not.toContain('✗ error-code');
    expect(outcomeIn(report, 'error-code')).toBe('fail');
    expect(outcomeIn(report, 'www-authenticate')).toBe('fail');
    expect(report?.problems).toEqual([]);
  });
});

test('--dry-run prints the budget and sends the target nothing', async () => {
  const { description, requests } = await startTarget();
  const { exitCode, stdout, report } = await verifyTarget(description, ['--dry-run']);
  expect({ exitCode, requests, report }).toEqual({ exitCode: 0, requests: [], report: null });
  expect(stdout).toMatch(/^Budget: at most \d+ requests in \d+ checks/m);
});

test('profile safe without a control URL sends only GETs; a slow first answer is a note of how long that takes', async () => {
  let isFirst = true;
  const slowAtFirst = answering(async (request, service) => {
    await delay(isFirst ? 350 : 0);
    isFirst = false;
    return service.respond(request);
  });
  const { description, requests } = await startTarget({ control: false, alterations: [slowAtFirst] });
  const { exitCode, stderr, report } = await verifyTarget(description, ['--profile', 'safe']);
  expect(exitCode).toBe(0);
  expect(report?.scope).toMatch(/^conformant in profile safe: \d+ of \d+ MUSTs judged$/);
  expect(stderr).toMatch(/The target took \d+\.\d s for its first answer\. .* this run takes about a minute/);
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.length).toBeLessThanOrEqual(report?.budget.announced ?? 0);
});

test('a target that is not there is inconclusive, not nonconformant', async () => {
  // Port 9 of the loopback interface is "discard", which nobody runs and no one is given as a free port.
  const nobody = { target: 'http://127.0.0.1:9/v1', keys: { free: ['a-good-key'] } };
  const { exitCode, stdout, report } = await verifyTarget(nobody);
  expect(exitCode).toBe(3);
  expect(report?.verdict).toBe('inconclusive');
  expect(stdout.match(/No answer from http:\/\/127\.0\.0\.1:9/g)).toHaveLength(1);
  expect(report?.problems).toHaveLength(1);
});

test.each([
  ['refuses the key, which is named by its label,', 401, 'refuses the key free#1 (401)'],
  ['has no list there', 404, 'does not seem to be the base address'],
])('a target that %s is inconclusive, not nonconformant', async (_what, status, problem) => {
  const target = await startHttpServer((_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  });
  const report = await verify({ target, keys: { free: ['SECRET-of-the-free-key'] } });
  expect(report.verdict).toBe('inconclusive');
  expect(report.problems).toEqual([expect.stringContaining(problem)]);
  expect(JSON.stringify(report)).not.toContain('SECRET');
});

test('a target that answers everything with a page of HTML is nonconformant', async () => {
  const target = await startHttpServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Welcome</title>');
  });
  const report = await verify({ target, keys: { business: ['k1', 'k2'] }, profile: 'standard' });
  expect(report.verdict).toBe('nonconformant');
  expect(outcomeIn(report, 'list-succeeds')).toBe('fail');
  expect(outcomeIn(report, 'content-type-json')).toBe('fail');
});

test('--last-failed judges what failed in a report, and takes nothing else', async () => {
  const { description } = await startTarget({ alterations: [withoutErrorCode], control: false });
  const directory = temporaryDirectory();
  const run = (...words: readonly string[]) =>
    verifyTarget(description, ['--profile', 'safe', ...words], directory);

  const first = await run();
  expect(first.exitCode).toBe(1);
  writeJson(directory, 'first.json', first.report);

  const again = await run('--last-failed', 'first.json');
  expect(again.stderr).toMatch(/^Judging what failed or stayed open in first\.json: \d+ requirements?\.$/m);
  expect(again.report?.checks.length).toBeLessThan(first.report?.checks.length ?? 0);
  expect(again.report?.requirements.filter(({ outcome }) => outcome === 'pass')).toEqual([]);
  expect(again.exitCode).toBe(1);
});
