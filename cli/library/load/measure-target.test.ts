import { describe, expect, test } from 'vitest';

import { SERVER_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import type { LoadScenarioResult } from '../../../contract/load-result.ts';
import { LOAD_FAULTS } from '../../../reference-server/index.ts';
import { SAMPLE_LOAD_REPORT } from '../../../reports/model/sample-load-report.test-data.ts';
import { CONNECTIONS_MEASURED, powerUnderLoad, SEEN_UNDER_LOAD } from './measure-target.ts';

const [sample] = SAMPLE_LOAD_REPORT.scenarios;

function scenario(id: string, changes: Partial<LoadScenarioResult> = {}): LoadScenarioResult {
  if (sample === undefined) {
    throw new Error('There is no sample.');
  }
  const threshold = { expression: 'errors < 0.1%', value: 0, outcome: 'pass' as const };
  return Object.assign({}, sample, {
    id,
    outcome: 'pass' as const,
    parameters: { connections: '100' },
    durationSeconds: 5,
    thresholds: [threshold],
    ...changes,
  });
}

const ALL = [...new Set(Object.values(SEEN_UNDER_LOAD).map(([id]) => id))];
const DECIDED = SERVER_REQUIREMENTS.map(({ id }) => ({ id, outcome: 'pass' as const }));

test('it is known how each load fault was seen', () => {
  expect(Object.keys(SEEN_UNDER_LOAD).toSorted()).toEqual(LOAD_FAULTS.map(({ id }) => id).toSorted());
});

test('a run of all scenarios that show load faults could have caught all of them', () => {
  const power = powerUnderLoad(
    ALL.map((id) => scenario(id)),
    DECIDED,
  );
  expect(power).toMatchObject({ known: LOAD_FAULTS.length, withinReach: LOAD_FAULTS.length });
  expect(power.byArea.reduce((sum, { known }) => sum + known, 0)).toBe(LOAD_FAULTS.length);
});

const reachOf = (changes: Partial<LoadScenarioResult>, decided = DECIDED): number =>
  powerUnderLoad([scenario('throughput', changes)], decided).withinReach;

describe('out of reach is what', () => {
  const whole = reachOf({});

  test.each<[string, Partial<LoadScenarioResult>]>([
    ['was skipped', { outcome: 'skipped' }],
    ['came to no result', { outcome: 'inconclusive' }],
    ['was over at once', { durationSeconds: 0.1 }],
    [
      'had fewer connections than were measured with',
      { parameters: { connections: `${CONNECTIONS_MEASURED.throughput - 1}` } },
    ],
  ])('%s', (_why, changes) => {
    expect(reachOf(changes)).toBe(0);
  });

  test('was judged by another threshold, or could not be judged', () => {
    expect(reachOf({ thresholds: [] })).toBe(whole - 1);
    expect(reachOf({}, [])).toBe(1);
  });
});
