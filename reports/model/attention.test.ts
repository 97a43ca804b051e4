import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from '../../contract/requirements/index.ts';
import { attention, listCauses, reportCauses } from './attention.ts';
import type { ReportedRequirement } from './report.ts';
import { OUTCOMES } from './requirement-groups.ts';
import { listedTimes, requirementWith, sampleTrail } from './sample-report.test-data.ts';

function failure(departure: Partial<ReportedRequirement>): ReportedRequirement {
  return requirementWith({ outcome: 'fail', ...violatedBy(1), ...departure });
}

function violatedBy(violated: number): Pick<ReportedRequirement, 'tally'> {
  return { tally: { violated, judged: 100, of: 'responses' } };
}

test('failures are listed with the likely cause first', () => {
  const once = { tally: { violated: 1, judged: 1, of: 'judgements' } } as const;
  const message = 'Seen.';
  const burst = sampleTrail([listedTimes(60), listedTimes(1)]);
  const writeAndList = sampleTrail([listedTimes(1)], [listedTimes(1)]);
  const requirements = [
    failure({ id: 'burst', ...once, findings: [{ message, trail: burst }] }),
    failure({ id: 'write-and-list', ...once, findings: [{ message, trail: writeAndList }] }),
    failure({ id: 'one-response-in-fifteen', ...violatedBy(7) }),
    failure({ id: 'one-request', ...once, findings: [{ message }] }),
    failure({ id: 'every-response', ...violatedBy(100) }),
    failure({ id: 'another-request', ...once, findings: [{ message }] }),
  ];
  expect(attention({ requirements, level: 'must' }).failures.map(({ root }) => root.id)).toEqual([
    'every-response',
    'one-response-in-fifteen',
    'one-request',
    'another-request',
    'write-and-list',
    'burst',
  ]);
});

/** The causes as ids: each root with what follows from it. */
function causesOf(
  ...failures: readonly Partial<ReportedRequirement>[]
): readonly (readonly [string, readonly string[]])[] {
  const causes = reportCauses({ requirements: failures.map(failure), level: 'must' });
  return causes.map(({ requirement, explains }) => [requirement, explains]);
}

test('what depends on a failure follows from it, in however many steps', () => {
  expect(
    causesOf(
      { id: 'list-complete', ...violatedBy(9) },
      { id: 'error-message', ...violatedBy(9) },
      { id: 'update-persists', ...violatedBy(40) },
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

test('whatever did not pass is listed once, and each failure is in one cause', () => {
  const ids = REQUIREMENTS.filter(({ level }) => level !== 'observe').map(({ id }) => id);
  const rows = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids),
      outcome: fc.oneof({ weight: 3, arbitrary: fc.constant('fail' as const) }, fc.constantFrom(...OUTCOMES)),
      level: fc.constantFrom('must', 'should'),
      expectedFailure: fc.boolean(),
      violated: fc.integer({ min: 1, max: 50 }),
    }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(rows, fc.constantFrom('must', 'should'), (given, level) => {
      const requirements = given.map(({ violated, ...row }) => failure({ ...row, ...violatedBy(violated) }));
      const { failures, advice, expected, inconclusive, skipped } = attention({ requirements, level });
      const caused = listCauses([...failures, ...advice]).map(({ row }) => row);
      const listed = [...caused, ...expected, ...inconclusive, ...skipped];
      const wanted = requirements.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'observed');
      expect(new Set(listed)).toEqual(new Set(wanted));
      expect(listed).toHaveLength(wanted.length);
      const isBinding = (row: ReportedRequirement): boolean => row.level === 'must' || row.level === level;
      expect(failures.every(({ root }) => isBinding(root))).toBe(true);
      expect(failures.length > 0).toBe(caused.some(isBinding));
    }),
  );
});
