import { describe, expect, test } from 'vitest';

import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Judgement } from '../../oracle/index.ts';
import { presentJudgement } from './conformance-tests.ts';

const MUST = 'item-quantity' satisfies RequirementId;
const SHOULD = 'www-authenticate' satisfies RequirementId;

function judged(id: RequirementId, outcome: Judgement['outcome'], rest: Partial<Judgement> = {}): Judgement {
  return { id, outcome, evidence: 0, tallies: [], findings: [], reason: null, judgedBy: [], ...rest };
}

test('of what is newer than the set that decides, a failure is a note', () => {
  const newer = judged('error-texts', 'fail', { findings: [{ message: 'Empty.' }] });
  expect(presentJudgement(newer, 'should').kind).toBe('fail');
  expect(presentJudgement(newer, 'should', '1.0').kind).toBe('note');
});

describe.each([
  ['must', MUST, 'must', 'fail'],
  ['must', MUST, 'should', 'fail'],
  ['should', SHOULD, 'must', 'note'],
  ['should', SHOULD, 'should', 'fail'],
] as const)('a %s (%s) with level %s', (_level, id, level, kind) => {
  test('that fails shows statement, findings, curl line and clause', () => {
    const findings = [{ message: 'Seen once.', curl: "curl 'http://h/v1/inventory'" }, { message: 'Twice.' }];
    const outcome = presentJudgement(judged(id, 'fail', { findings }), level);
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
    expect(presentJudgement(judged(id, 'inconclusive', { reason: 'A timeout.' }), level)).toEqual({
      kind,
      text: 'inconclusive: A timeout.',
    });
  });

  test('that is skipped never passes', () => {
    expect(presentJudgement(judged(id, 'skipped', { reason: 'No key.' }), level)).toEqual({
      kind: 'skip',
      text: 'No key.',
    });
  });

  test('that holds passes', () => {
    expect(presentJudgement(judged(id, 'pass', { evidence: 1 }), level)).toEqual({ kind: 'pass' });
  });
});

test('an observation passes', () => {
  expect(presentJudgement(judged('retry-after-format', 'observed'), 'should')).toEqual({ kind: 'pass' });
});
