import { describe, expect, test } from 'vitest';

import { LATEST_SET, requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { ReportedRequirement } from '../../../reports/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import { countResponses, reportRequirement } from '../reported-requirement.ts';
import { conformanceTests, presentRow } from './conformance-tests.ts';

const MUST = 'item-quantity' satisfies RequirementId;
const SHOULD = 'www-authenticate' satisfies RequirementId;

function judged(
  id: RequirementId,
  outcome: Judgement['outcome'],
  rest: Partial<Judgement> = {},
  set = LATEST_SET,
): ReportedRequirement {
  const none = { evidence: 0, tallies: [], findings: [], reason: null, judgedBy: [] };
  return reportRequirement({ id, outcome, ...none, ...rest }, countResponses, set);
}

test('of what is newer than the set that decides, a failure is a note', () => {
  const findings = [{ message: 'Empty.' }];
  expect(presentRow(judged('error-texts', 'fail', { findings }), 'should').kind).toBe('fail');
  expect(presentRow(judged('error-texts', 'fail', { findings }, '1.0'), 'should').kind).toBe('note');
});

describe.each([
  ['must', MUST, 'must', 'fail'],
  ['must', MUST, 'should', 'fail'],
  ['should', SHOULD, 'must', 'note'],
  ['should', SHOULD, 'should', 'fail'],
] as const)('a %s (%s) with level %s', (_level, id, level, kind) => {
  test('that fails shows statement, findings, curl line and clause', () => {
    const findings = [{ message: 'Seen once.', curl: "curl 'http://h/v1/inventory'" }, { message: 'Twice.' }];
    const outcome = presentRow(judged(id, 'fail', { findings }), level);
    expect(outcome.kind).toBe(kind);
    for (const part of [
      requirement(id).statement,
      'Seen once.',
      "curl 'http://h/v1/inventory'",
      'Twice.',
      `clause: ${requirement(id).clause}`,
    ]) {
      expect(outcome).toMatchObject({ text: expect.stringContaining(part) });
    }
  });

  test('that is inconclusive says why', () => {
    expect(presentRow(judged(id, 'inconclusive', { reason: 'A timeout.' }), level)).toEqual({
      kind,
      text: 'inconclusive: A timeout.',
    });
  });

  test('that is skipped never passes', () => {
    expect(presentRow(judged(id, 'skipped', { reason: 'No key.' }), level)).toEqual({
      kind: 'skip',
      text: 'No key.',
    });
  });

  test('that holds passes', () => {
    expect(presentRow(judged(id, 'pass', { evidence: 1 }), level)).toEqual({ kind: 'pass' });
  });
});

test('an observation passes', () => {
  expect(presentRow(judged('retry-after-format', 'observed'), 'should')).toEqual({ kind: 'pass' });
});

test('if nothing answers, every test fails, and none is left out', async () => {
  const target = { target: 'http://127.0.0.1:9/v1', keys: { free: ['k1'] } };
  const { areas, run } = conformanceTests(target, { only: ['list', 'errors'] });
  const { problem, requirements } = await run(new AbortController().signal);
  expect(problem).toContain('inconclusive: ');
  const ids = areas.flatMap(({ tests }) => tests.map(({ id }) => id));
  expect(Object.keys(requirements)).toEqual(ids);
  expect(new Set(Object.values(requirements).map(({ outcome }) => outcome.kind))).toEqual(new Set(['fail']));
});
