import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { FAULTS } from '../../../reference-server/index.ts';
import { EXPLORE, type Outcome } from '../../../contract/verdict.ts';
import { CHECKS } from '../../../suites/verify/index.ts';
import { requirementWith } from '../../../reports/model/sample-report.test-data.ts';
import { EXPLORED_FOR_MATRIX, KNOWN_FAULTS, powerOf, PREFLIGHT, whyUnearned } from './power.ts';

const TARGET = { url: 'http://127.0.0.1:1', control: 'http://127.0.0.1:2', keys: [] };

const FOUND = { 'list-complete': 'list', 'ban-ends': 'ban' } as const;

const SHOWN = {
  'cut-off': { breaks: 'list-complete', withControl: ['list'], withoutControl: [] },
  'never-ends': { breaks: 'ban-ends', withControl: ['ban', EXPLORE], withoutControl: ['ban'] },
};

interface Given {
  readonly outcomes?: Partial<Record<keyof typeof FOUND, Outcome>>;
  readonly checks?: Readonly<Record<string, Outcome>>;
  readonly control?: string | null;
  readonly explored?: number;
}

function checkRow(id: string, outcome: Outcome) {
  return { id, title: id, outcome, durationSeconds: 0, requests: 1 };
}

function powerWith({ outcomes = {}, checks = {}, control = TARGET.control, explored }: Given): number {
  const requirements = Object.keys(FOUND).map((id) =>
    requirementWith({ id, outcome: Object.entries(outcomes).find(([key]) => key === id)?.[1] ?? 'pass' }),
  );
  const exploration =
    explored === undefined
      ? undefined
      : { seed: 1, requests: explored, shrinking: 0, episodes: 1, found: [] };
  return powerOf(
    {
      requirements,
      checks: Object.entries(checks).map(([id, outcome]) => checkRow(id, outcome)),
      target: { ...TARGET, control },
      ...(exploration === undefined ? {} : { exploration }),
    },
    SHOWN,
  ).withinReach;
}

function rowsOf(decided: readonly string[]) {
  return decided.map((id) => requirementWith({ id }));
}

function checksOf(ran: readonly string[]) {
  return ran.map((id) => checkRow(id, 'pass'));
}

describe('the known faults', () => {
  test('are those of the catalogue; npm run known enters another', () => {
    const rows = Object.entries(KNOWN_FAULTS).map(([id, { breaks }]) => [id, breaks]);
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(FAULTS.map(({ id, breaks }) => [id, breaks])),
    );
  });

  test('are each shown by a check of the suite', () => {
    const known = new Set([PREFLIGHT, EXPLORE, ...CHECKS.map(({ id }) => id)]);
    const unknown = Object.entries(KNOWN_FAULTS).filter(
      ([, { withControl, withoutControl }]) =>
        withControl.length === 0 || [...withControl, ...withoutControl].some((check) => !known.has(check)),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the power of a run', () => {
  test('counts a fault if its requirement was decided by a run with a check that shows it', () => {
    expect(powerWith({ checks: { list: 'pass', ban: 'pass' } })).toBe(2);
    expect(powerWith({ checks: { list: 'fail' } })).toBe(1);
    expect(powerWith({ checks: { updates: 'pass' } })).toBe(0);
  });

  test.each(['inconclusive', 'skipped'] as const)('counts nothing that was %s', (open) => {
    expect(powerWith({ checks: { list: 'pass', ban: open } })).toBe(1);
    expect(powerWith({ checks: { list: 'pass', ban: 'pass' }, outcomes: { 'ban-ends': open } })).toBe(1);
  });

  test('goes by what shows without the control contract if there is none', () => {
    expect(powerWith({ checks: { list: 'pass', ban: 'pass' }, control: null })).toBe(1);
  });

  test('goes by what shows with control or without where checks do what they do in real time', () => {
    const shown = { late: { breaks: 'ban-ends', withControl: ['second-ban'], withoutControl: ['ban'] } };
    const reach = (...ran: readonly string[]) =>
      powerOf({ requirements: rowsOf(['ban-ends']), checks: checksOf(ran), target: TARGET }, shown)
        .withinReach;
    expect([reach('ban'), reach('ban', 'remaining-falls-with-updates')]).toEqual([0, 1]);
  });

  test('counts what the exploration shows only if it was as long as that of the matrix', () => {
    expect(powerWith({ checks: { [EXPLORE]: 'pass' }, explored: EXPLORED_FOR_MATRIX })).toBe(1);
    expect(powerWith({ checks: { [EXPLORE]: 'pass' }, explored: EXPLORED_FOR_MATRIX - 1 })).toBe(0);
  });

  test('says by requirement what takes a control URL', () => {
    const rows = rowsOf(['list-complete', 'ban-ends']);
    const target = { ...TARGET, control: null };
    const { byRequirement } = powerOf({ requirements: rows, checks: checksOf(['ban']), target }, SHOWN);
    expect(byRequirement).toEqual([
      { requirement: 'list-complete', known: 1, withinReach: 0, needControl: 1 },
      { requirement: 'ban-ends', known: 1, withinReach: 1, needControl: 0 },
    ]);
  });

  test('never grows if less was run', () => {
    const ids = CHECKS.map(({ id }) => id);
    const requirements = [...new Set(FAULTS.map(({ breaks }) => breaks))];
    fc.assert(
      fc.property(fc.subarray(ids), fc.subarray(requirements), (ran, decided) => {
        const some = powerOf({ requirements: rowsOf(decided), checks: checksOf(ran), target: TARGET });
        const all = powerOf({ requirements: rowsOf(requirements), checks: checksOf(ids), target: TARGET });
        expect(some.withinReach).toBeLessThanOrEqual(all.withinReach);
        expect(some.byArea.reduce((sum, { withinReach }) => sum + withinReach, 0)).toBe(some.withinReach);
        expect(some.byArea.reduce((sum, { known }) => sum + known, 0)).toBe(some.known);
      }),
    );
  });
});

describe('a requirement that nothing violated', () => {
  const faults = [['list'], ['updates'], ['updates', 'minute-limit-pro']].map((shownBy) => ({
    breaks: 'list-complete',
    withControl: shownBy,
    withoutControl: [],
  }));
  const whyNot = (ran: readonly string[], ...leftOut: readonly string[]) =>
    whyUnearned(
      { requirements: rowsOf(['list-complete']), checks: checksOf(ran), target: TARGET },
      new Map(leftOut.map((id) => [id, 'It had no key.'])),
      Object.fromEntries(faults.map((fault, index) => [index, fault])),
    ).get('list-complete');

  test('is no pass if most known violations would have shown only in what was left out', () => {
    expect(whyNot(['list'], 'updates')).toBe(
      'Nothing violated it, but this run could have caught only 1 of 3 known faults that break it. Checks that show the others were left out. It had no key (updates).',
    );
  });

  test('passes if half would have, or the minute of another plan shows the same', () => {
    expect(whyNot(['list', 'minute-limit-free'], 'updates', 'minute-limit-pro')).toBeUndefined();
  });

  test('passes if nobody asked for the other checks', () => {
    expect(whyNot(['list'])).toBeUndefined();
  });
});
