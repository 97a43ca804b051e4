import { describe, expect, test } from 'vitest';

import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import type { ReportedRequirement } from '../../reports/index.ts';
import { requirementWith } from '../../reports/model/sample-report.test-data.ts';
import { CHECKS, readSelection } from '../../suites/verify/index.ts';
import { openRequirements, selectOpen, type OpenRequirement } from './last-failed.ts';

function row(
  id: string,
  outcome: ReportedRequirement['outcome'],
  more: Partial<ReportedRequirement> = {},
): ReportedRequirement {
  return requirementWith({ id, outcome, ...more });
}

const open = (rows: readonly ReportedRequirement[]) => openRequirements({ requirements: rows });

function failed(id: string, checks: readonly string[] | null): OpenRequirement {
  return { id, checks };
}

describe('what is open after a run', () => {
  test('is what failed or was inconclusive, with the checks that showed it', () => {
    const findings = [
      { message: 'One.', check: 'update' },
      { message: 'Two.', check: 'list' },
    ];
    const rows = [
      row('item-quantity', 'fail', { findings }),
      row('item-status', 'inconclusive', { findings: [{ message: 'Lost.' }] }),
      row('item-pet-id', 'pass'),
      row('www-authenticate', 'skipped'),
      row('list-succeeds', 'fail', { findings, expectedFailure: true }),
    ];
    expect(open(rows)).toEqual([
      { id: 'item-quantity', checks: ['update', 'list'] },
      { id: 'item-status', checks: null },
    ]);
  });

  test.each([
    ['shows in few responses', { tally: { violated: 2, judged: 100, of: 'responses' } as const }],
    ['was found by no check', { findings: [{ message: 'One.', check: 'explore' }] }],
  ])('takes every check if it %s', (_, more) => {
    const findings = [{ message: 'One.', check: 'list' }];
    expect(open([row('item-quantity', 'fail', { findings, ...more })])[0]?.checks).toBeNull();
  });
});

describe('a selection of what is open', () => {
  const all = { selection: null, level: 'must' } as const;
  const checksOf = (rows: readonly OpenRequirement[]) => {
    const selection = selectOpen(rows, all)?.selection;
    return CHECKS.filter((check) => selection?.check(check)).map(({ id }) => id);
  };

  test('runs the checks that showed it, and judges nothing else', () => {
    const rows = [failed('item-quantity', ['list'])];
    expect(checksOf(rows)).toEqual(['list']);
    const chosen = selectOpen(rows, all);
    const judged = SERVER_REQUIREMENTS.filter(({ id }) => chosen?.selection.requirement(id));
    expect(judged.map(({ id }) => id)).toEqual(['item-quantity']);
    expect(chosen).toMatchObject({ requirements: 1, selection: { words: ['--last-failed'] } });
  });

  test('runs everything for what any exchange may show', () => {
    expect(checksOf([failed('item-quantity', null), failed('update-sets', ['update'])])).toHaveLength(
      CHECKS.length,
    );
  });

  test('keeps to the level and to what --only names, and is none if nothing is left', () => {
    const should = [failed('www-authenticate', null)];
    expect(selectOpen(should, all)).toBeNull();
    expect(selectOpen(should, { ...all, level: 'should' })?.requirements).toBe(1);
    const selection = readSelection(['update-*'], '--only');
    const both = [
      failed('item-quantity', null),
      failed('update-sets', null),
      failed('no-longer-there', null),
    ];
    expect(selectOpen(both, { ...all, selection })).toMatchObject({
      requirements: 1,
      selection: { words: ['--only update-*', '--last-failed'] },
    });
    expect(selectOpen([], all)).toBeNull();
  });
});
