import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AREAS } from '../../contract/requirements/index.ts';
import type { ReportedRequirement } from './report.ts';
import { countOutcomes, groupByArea, groupByReason, LEVELS, OUTCOMES } from './requirement-groups.ts';
import { requirementWith } from './sample-report.test-data.ts';

const requirements: fc.Arbitrary<readonly ReportedRequirement[]> = fc.array(
  fc
    .record({
      level: fc.constantFrom(...LEVELS),
      outcome: fc.constantFrom(...OUTCOMES),
      area: fc.constantFrom(...AREAS, 'news'),
      reason: fc.constantFrom('No key.', 'No clock.'),
    })
    .map(requirementWith),
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
    expect(countOutcomes([requirementWith({}), requirementWith({})]).must.pass).toBe(2);
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
      requirementWith({ reason: 'No clock.' }),
      requirementWith({ reason: 'No key.' }),
      requirementWith({ findings: [{ message: 'No key.' }] }),
      requirementWith({}),
    ];
    expect(groupByReason(rows).map(([reason, group]) => [reason, group.length])).toEqual([
      ['No key.', 2],
      ['No clock.', 1],
      ['no reason was given', 1],
    ]);
  });
});
