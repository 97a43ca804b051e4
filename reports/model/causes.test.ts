import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from '../../contract/requirements/index.ts';
import { attention, reportCauses } from './attention.ts';
import { groupByCause, listCauses } from './causes.ts';
import type { ReportedRequirement } from './report.ts';

interface Failure {
  readonly id: string;
  readonly violated?: number;
  readonly level?: 'must' | 'should';
}

function failure({ id, violated = 1, level = 'must' }: Failure): ReportedRequirement {
  return {
    id,
    level,
    area: 'any',
    outcome: 'fail',
    title: 'A requirement.',
    clause: 'Endpoints',
    evidence: 0,
    tally: { violated, judged: 100, of: 'responses' },
    checks: [],
    findings: [],
  };
}

/** The causes as ids: each root with what follows from it. */
function causesOf(...failures: readonly Failure[]): readonly (readonly [string, readonly string[]])[] {
  const causes = reportCauses({ requirements: failures.map(failure), level: 'must' });
  return causes.map(({ requirement, explains }) => [requirement, explains]);
}

test('what depends on a failure follows from it, in however many steps', () => {
  expect(
    causesOf(
      { id: 'list-complete', violated: 9 },
      { id: 'error-message', violated: 9 },
      { id: 'update-persists', violated: 40 },
      { id: 'content-type-json' },
      { id: 'list-succeeds' },
      { id: 'error-code' },
    ),
  ).toEqual([
    ['content-type-json', ['error-message', 'error-code']],
    ['list-succeeds', ['update-persists', 'list-complete']],
  ]);
});

test('of failures that depend on each other one is the cause of all', () => {
  const circle = ['update-touches-one-entry', 'update-persists', 'list-complete'];
  const [[root, followers] = ['', []], ...more] = causesOf(...circle.map((id) => ({ id })));
  expect(more).toEqual([]);
  expect([root, ...followers].toSorted()).toEqual(circle.toSorted());
});

test('two faults that have nothing to do with each other are two causes', () => {
  expect(causesOf({ id: 'bearer-scheme' }, { id: 'update-sets' })).toEqual([
    ['bearer-scheme', []],
    ['update-sets', []],
  ]);
});

test('a must follows from no should', () => {
  expect(causesOf({ id: 'error-code' }, { id: 'readable-json', level: 'should' })).toEqual([
    ['error-code', []],
    ['readable-json', []],
  ]);
});

test('each failure is in one cause, whatever fails', () => {
  const ids = REQUIREMENTS.filter(({ level }) => level !== 'observe').map(({ id }) => id);
  const failures = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids),
      violated: fc.integer({ min: 1, max: 50 }),
      level: fc.constantFrom('must', 'should'),
    }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(failures, (given) => {
      const rows = given.map(failure);
      const causes = groupByCause(rows, ({ level }) => level === 'must');
      const listed = listCauses(causes).map(({ row }) => row);
      expect(new Set(listed)).toEqual(new Set(rows));
      expect(listed).toHaveLength(rows.length);
      const { failures: decisive } = attention({ requirements: rows, level: 'must' });
      expect(decisive.length > 0).toBe(rows.some(({ level }) => level === 'must'));
    }),
  );
});
