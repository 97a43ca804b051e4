import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AREAS } from '../../contract/requirements/index.ts';
import { attention } from './attention.ts';
import { listCauses } from './causes.ts';
import type { ReportedRequirement } from './report.ts';
import { countOutcomes, groupByArea, groupByReason, LEVELS, OUTCOMES } from './requirement-groups.ts';
import { SAMPLE_REPORT, withRequirements } from './sample-report.test-data.ts';

const requirement: ReportedRequirement = {
  id: 'one',
  level: 'must',
  area: 'list',
  outcome: 'pass',
  title: 'One.',
  clause: 'Endpoints',
  evidence: 1,
  checks: [],
  findings: [],
};

const requirements: fc.Arbitrary<readonly ReportedRequirement[]> = fc.array(
  fc
    .record({
      level: fc.constantFrom(...LEVELS),
      outcome: fc.constantFrom(...OUTCOMES),
      area: fc.constantFrom(...AREAS, 'news'),
      reason: fc.constantFrom('No key.', 'No clock.'),
      expectedFailure: fc.boolean(),
    })
    .map((fields) => Object.assign({}, requirement, fields)),
);

describe('a report', () => {
  test('counts each requirement once', () => {
    fc.assert(
      fc.property(requirements, (rows) => {
        const counts = countOutcomes(rows);
        const total = LEVELS.flatMap((level) => OUTCOMES.map((outcome) => counts[level][outcome]));
        expect(total.reduce((sum, count) => sum + count, 0)).toBe(rows.length);
      }),
    );
    expect(countOutcomes([requirement, requirement]).must.pass).toBe(2);
  });

  test('calls attention once to whatever did not pass', () => {
    fc.assert(
      fc.property(requirements, fc.constantFrom('must', 'should'), (rows, level) => {
        const report = { ...withRequirements(SAMPLE_REPORT, rows), level };
        const { failures, advice, expected, inconclusive, skipped } = attention(report);
        const listed = [
          ...listCauses([...failures, ...advice]).map(({ row }) => row),
          ...expected,
          ...inconclusive,
          ...skipped,
        ];
        const wanted = rows.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'observed');
        expect(new Set(listed)).toEqual(new Set(wanted));
        expect(listed).toHaveLength(wanted.length);
        expect(failures.every(({ root }) => root.level === 'must' || root.level === level)).toBe(true);
      }),
    );
  });

  test('groups by area in the order of the register and loses none', () => {
    fc.assert(
      fc.property(requirements, (rows) => {
        const groups = groupByArea(rows);
        const order = groups.map(([area]) => area);
        const known: readonly string[] = [...AREAS, 'news'];
        expect(order).toEqual(known.filter((area) => order.includes(area)));
        expect(groups.flatMap(([, group]) => group)).toHaveLength(rows.length);
      }),
    );
  });

  test('groups by reason, the most frequent first', () => {
    const rows = [
      { ...requirement, reason: 'No clock.' },
      { ...requirement, reason: 'No key.' },
      { ...requirement, findings: [{ message: 'No key.' }] },
      requirement,
    ];
    expect(groupByReason(rows).map(([reason, group]) => [reason, group.length])).toEqual([
      ['No key.', 2],
      ['No clock.', 1],
      ['no reason was given', 1],
    ]);
  });
});
