import { expect, test } from 'vitest';

import type { Judgement } from '../../../suites/oracle/index.ts';
import { clientBaselineOf, expectsFailure } from './baseline.ts';

const SOURCE = '--baseline known.json';

function judgementWith(failedIds: readonly string[], passedIn: readonly string[] = []): Judgement {
  return {
    id: 'client-waits',
    outcome: 'fail',
    evidence: passedIn.length,
    tallies: [
      ...failedIds.map((by) => ({ by, passed: 0, failed: 1 })),
      ...passedIn.map((by) => ({ by, passed: 1, failed: 0 })),
    ],
    findings: [],
    reason: null,
    judgedBy: [],
  };
}

test('a failure is expected by its requirement, or by every scenario in which it was seen', () => {
  const failure = judgementWith(['limited-seconds', 'limited-date'], ['list']);
  const expects = (...ids: readonly string[]): boolean =>
    expectsFailure(clientBaselineOf(Object.fromEntries(ids.map((id) => [id, ''])), SOURCE), failure);
  expect(expects('client-waits')).toBe(true);
  expect(expects('limited-seconds', 'limited-date')).toBe(true);
  expect(expects('limited-seconds')).toBe(false);
  expect(expects()).toBe(false);
});

test('scenarios are known, and of requirements those for clients', () => {
  const message = `${SOURCE}: there is no scenario and no requirement on clients`;
  expect(() => clientBaselineOf({ 'limited-secnds': '' }, SOURCE)).toThrow(
    `${message} limited-secnds. Did you mean limited-seconds?`,
  );
  expect(() => clientBaselineOf({ 'list-succeeds': '' }, SOURCE)).toThrow(`${message} list-succeeds.`);
});
