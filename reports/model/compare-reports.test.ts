import { assert, boolean, constantFrom, property, record, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesDocument } from '../document/comparison.ts';
import { renderTerminal } from '../terminal/document.ts';
import { compareReports, trendOf } from './compare-reports.ts';
import type { LoadReport, ReportedRequirement, VerifyReport } from './report.ts';
import { OUTCOMES } from './requirement-groups.ts';
import { SAMPLE_LOAD_REPORT, SAMPLES } from './sample-load-report.test-data.ts';
import {
  HOSTILE_TEXT,
  hostileOf,
  requirementWith,
  SAMPLE_REPORT,
  withRequirements,
} from './sample-report.test-data.ts';

function reportOf(rows: readonly ReportedRequirement[], changes: Partial<VerifyReport> = {}): VerifyReport {
  return withRequirements({ ...SAMPLE_REPORT, observations: {}, ...changes }, rows);
}

const anyReport = uniqueArray(
  record({
    id: constantFrom('a', 'b', 'c', 'd', 'e'),
    outcome: constantFrom(...OUTCOMES),
    expectedFailure: boolean(),
  }),
  { selector: ({ id }) => id },
).map((rows) =>
  reportOf(rows.map((one) => requirementWith({ ...one, level: one.id === 'a' ? 'should' : 'must' }))),
);

function outcomesOf({ requirements }: VerifyReport): ReadonlyMap<string, string> {
  return new Map(requirements.map(({ id, outcome }) => [id, outcome]));
}

test.each(SAMPLES)('a report of a %s does not differ from itself', (_subject, report) => {
  const comparison = compareReports(report, report);
  expect(comparison).toMatchObject({ requirements: [], scenarios: [], observations: [], caveats: [] });
  expect(trendOf(comparison, [])).toBe('not worse');
});

describe('a requirement', () => {
  test.each([
    ['pass', 'fail', 'broken', 'worse'],
    ['skipped', 'fail', 'broken', 'worse'],
    ['fail', 'pass', 'fixed', 'not worse'],
    ['pass', 'inconclusive', 'lost', 'less'],
    ['fail', 'skipped', 'lost', 'less'],
    ['skipped', 'pass', 'gained', 'not worse'],
    ['skipped', 'inconclusive', 'other', 'not worse'],
  ] as const)('that was %s and is %s is %s', (before, after, turn, trend) => {
    const comparison = compareReports(
      reportOf([requirementWith({ level: 'must', outcome: before })]),
      reportOf([requirementWith({ level: 'must', outcome: after })]),
    );
    expect(comparison.requirements).toMatchObject([{ before, after, turn, decides: true }]);
    expect(trendOf(comparison, [])).toBe(trend);
  });

  test('that only one report has is listed too', () => {
    const [none, passed] = [reportOf([]), reportOf([requirementWith({ level: 'must', outcome: 'pass' })])];
    expect(compareReports(none, passed).requirements).toMatchObject([{ before: null, turn: 'gained' }]);
    expect(compareReports(passed, none).requirements).toMatchObject([{ after: null, turn: 'lost' }]);
  });

  test('of level should, or that the baseline expects, does not decide', () => {
    for (const changes of [{ level: 'should' }, { level: 'must', expectedFailure: true }] as const) {
      const comparison = compareReports(
        reportOf([requirementWith({ ...changes, outcome: 'pass' })]),
        reportOf([requirementWith({ ...changes, outcome: 'fail' })]),
      );
      expect(comparison.requirements).toMatchObject([{ turn: 'broken', decides: false }]);
      expect(trendOf(comparison, [])).toBe('not worse');
    }
  });

  test('of level should decides if it decides the later verdict', () => {
    const comparison = compareReports(
      reportOf([requirementWith({ level: 'should', outcome: 'pass' })]),
      reportOf([requirementWith({ level: 'should', outcome: 'fail' })], { level: 'should' }),
    );
    expect(trendOf(comparison, [])).toBe('worse');
  });

  test('is listed exactly if its outcome changed; what is broken in one direction is fixed or lost in the other', () => {
    assert(
      property(anyReport, anyReport, (before, after) => {
        const there = compareReports(before, after).requirements;
        const back = compareReports(after, before).requirements;
        expect(back.map(({ row: { id } }) => id).toSorted()).toEqual(
          there.map(({ row: { id } }) => id).toSorted(),
        );
        for (const { row: changed, before: was, after: is } of there) {
          expect([was, is]).toEqual([
            outcomesOf(before).get(changed.id) ?? null,
            outcomesOf(after).get(changed.id) ?? null,
          ]);
          expect(was).not.toBe(is);
        }
        const broken = new Set(there.filter(({ turn }) => turn === 'broken').map(({ row: { id } }) => id));
        const reverse = back.filter(({ row: { id } }) => broken.has(id)).map(({ turn }) => turn);
        expect(['fixed', 'lost']).toEqual(expect.arrayContaining(reverse));
      }),
    );
  });
});

test('an observation has both of its values', () => {
  const { observations } = compareReports(
    { ...SAMPLE_REPORT, observations: { 'retry-after-format': 'delta-seconds', gone: 1, same: ['a', 'b'] } },
    { ...SAMPLE_REPORT, observations: { 'retry-after-format': 'HTTP-date', same: ['a', 'b'], come: true } },
  );
  expect(observations).toEqual([
    { name: 'retry-after-format', before: 'delta-seconds', after: 'HTTP-date' },
    { name: 'come', before: undefined, after: true },
    { name: 'gone', before: 1, after: undefined },
  ]);
});

test('a scenario decides if load crossed a threshold that held before', () => {
  const failing: LoadReport = {
    ...SAMPLE_LOAD_REPORT,
    scenarios: SAMPLE_LOAD_REPORT.scenarios.map((scenario) => ({ ...scenario, outcome: 'fail' })),
  };
  const passing: LoadReport = {
    ...failing,
    scenarios: failing.scenarios.map((scenario) => ({ ...scenario, outcome: 'pass' })),
  };
  expect(trendOf(compareReports(passing, failing), [])).toBe('worse');
  expect(trendOf(compareReports(failing, passing), [])).toBe('not worse');
});

test('a measure that got worse is worse', () => {
  const same = compareReports(SAMPLE_LOAD_REPORT, SAMPLE_LOAD_REPORT);
  expect(trendOf(same, [{ judgement: 'same' }, { judgement: 'worse' }])).toBe('worse');
  expect(trendOf(same, [{ judgement: 'better' }, { judgement: 'too few rounds' }])).toBe('not worse');
});

test('reports that were made in different ways say so', () => {
  const { caveats } = compareReports(
    { ...SAMPLE_REPORT, profile: 'safe', level: 'should' },
    {
      ...SAMPLE_REPORT,
      suite: { version: '9.9.9', specVersion: '1.0.0' },
      startedAt: '2020-01-01T00:00:00Z',
    },
  );
  expect(caveats).toHaveLength(4);
  expect(caveats.join(' ')).toContain('profile safe');
});

test('nothing of a target reaches the terminal unescaped', () => {
  const report = hostileOf(SAMPLE_REPORT);
  const requirements = report.requirements.map((one) => ({ ...one, outcome: 'pass' as const }));
  const before = { ...withRequirements(report, requirements), observations: {} };
  const compared = changesDocument({
    before: { name: HOSTILE_TEXT, report: before },
    after: { name: 'b.json', report },
    comparison: compareReports(before, report),
    measures: [],
    leftOut: [HOSTILE_TEXT],
  });
  const text = renderTerminal(compared, false);
  expect(text).toMatch(/^[\n\P{C}]+$/u);
  expect(text).not.toMatch(/[\u202e\u2028]/);
});
