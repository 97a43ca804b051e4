import { describe, expect, test } from 'vitest';

import type { LoadMeasurement, LoadOutcome, LoadThreshold } from '../../contract/load-result.ts';
import { latenessOf } from '../figures/lateness.ts';
import { NO_TIMES, SAMPLE_TIMES, sampleMeasurement } from '../figures/measurement.test-data.ts';
import { readThreshold } from './threshold-expression.ts';
import { judgeThreshold } from './thresholds.ts';

function judge(text: string, ...rounds: readonly Partial<LoadMeasurement>[]): LoadThreshold {
  const measurements = rounds.map((changes) => sampleMeasurement(changes));
  return judgeThreshold(readThreshold(text, '--threshold'), { measurements, capacity: null });
}

const BEHIND = { invalid: ['the generator fell behind'] };

describe('one valid round', () => {
  const mixed = {
    sent: 960,
    answered: 930,
    unsent: 40,
    lost: { timeout: 20, ECONNRESET: 10 },
    statuses: { '200': 800, '429': 93, '500': 30, '503': 7 },
    achievedRate: 465,
    goodput: 400,
  };

  test.each<[string, number | null, LoadOutcome]>([
    ['p99 < 80ms', 80, 'fail'],
    ['p99 <= 80ms', 80, 'pass'],
    ['p99 == 80ms', 80, 'pass'],
    ['p99.9 < 159ms', 160, 'fail'],
    ['min > 1ms', 1, 'fail'],
    ['max <= 200ms', 200, 'pass'],
    ['mean < 13ms', 12, 'pass'],
    ['service.p99 < 31ms', 30, 'pass'],
    // 40 unsent, 30 lost, 37 answered 5xx of 1,000
    ['errors <= 10.7%', 10.7, 'pass'],
    // 93 of 930
    ['refused == 10%', 10, 'pass'],
    ['lost == 0', 30, 'fail'],
    ['rate >= 93%', 93, 'pass'],
    ['goodput >= 400/s', 400, 'pass'],
  ])('%s', (text, value, outcome) => {
    expect(judge(text, mixed)).toEqual({
      expression: readThreshold(text, '--threshold').expression,
      value,
      outcome,
    });
  });

  test('a list that is answered as no list is, is an error; an update that is refused is none', () => {
    const statuses = { '200': 10, '307': 1, '400': 2, '404': 4, '401': 8, '403': 16, '429': 32, '500': 64 };
    const [list, update] = ['GET /inventory', 'PATCH /inventory/{petId}'].map((name) => ({
      name,
      answered: 137,
      statuses,
      responseTime: SAMPLE_TIMES,
    }));
    const operations = [list, update].filter((one) => one !== undefined);
    const { value } = judge('errors<1%', { statuses: { '500': 128 }, operations });
    expect(value).toBe(13.5);
  });

  test.each([3, 7, 14, 28, 29, 56, 57, 58])('%i of 100 is that many percent and no more', (count) => {
    const outcome = judge(`errors <= ${count}%`, { scheduled: 100, statuses: { '500': count } }).outcome;
    expect(outcome).toBe('pass');
  });

  test.each([0.07, 1.001, 1.023, 4.35])('%f ms are that many microseconds and no more', (milliseconds) => {
    const limit = Math.round(milliseconds * 1000);
    const responseTime = { ...SAMPLE_TIMES, p99: milliseconds };
    expect(judge(`p99 <= ${limit}us`, { responseTime })).toMatchObject({ value: limit, outcome: 'pass' });
  });
});

describe('a percentile that the summary does not hold', () => {
  const percentiles = [
    [50, 11],
    [74, 14],
    [76, 15],
    [99.9, 161],
    [99.995, 180],
  ] as const;

  test.each([
    ['p75 < 1s', 0.015],
    ['p99.99 < 1s', 0.18],
    ['p50 < 1s', 0.01],
    ['p99.9 < 1s', 0.16],
    ['service.p99.99 < 1s', 0.05],
  ])('%s takes the next higher point', (text, value) => {
    expect(judge(text, { percentiles }).value).toBe(value);
  });

  test('takes the maximum beyond the last point', () => {
    expect(judge('p99.99 < 1s', { percentiles: [[99.95, 170]] }).value).toBe(0.2);
  });
});

describe('what was not measured is inconclusive', () => {
  const idle = { scheduled: 0, sent: 0, answered: 0, statuses: {}, scheduledRate: 0, achievedRate: 0 };

  test.each<[string, Partial<LoadMeasurement>]>([
    ['p99 < 1s', { responseTime: NO_TIMES }],
    ['service.mean < 1s', { serviceTime: NO_TIMES }],
    ['errors < 1%', idle],
    ['refused < 1%', idle],
    ['lost == 0', idle],
    ['rate >= 99%', idle],
    ['rate >= 99%', { model: 'closed' }],
    ['goodput > 1/s', { durationSeconds: 0 }],
    ['capacity > 1/s', {}],
  ])('%s', (text, changes) => {
    expect(judge(text, changes)).toMatchObject({ value: null, outcome: 'inconclusive' });
  });

  test('no round at all', () => {
    expect(judge('lost == 0')).toMatchObject({ value: null, outcome: 'inconclusive' });
  });
});

describe('several rounds', () => {
  test.each<[string, readonly number[], number, LoadOutcome]>([
    ['p99 < 100ms', [80, 99, 90], 99, 'pass'],
    ['p99 < 100ms', [80, 100, 90], 100, 'fail'],
    ['p99 > 85ms', [90, 86, 100], 86, 'pass'],
    ['p99 > 85ms', [90, 84, 100], 84, 'fail'],
    ['p99 == 90ms', [90, 84, 95], 84, 'fail'],
  ])('%s of %j', (text, times, value, outcome) => {
    expect(judge(text, ...times.map(p99))).toMatchObject({ value, outcome });
  });

  test('one that says nothing leaves it open', () => {
    expect(judge('p99 < 100ms', p99(80), { responseTime: NO_TIMES })).toMatchObject({
      value: 80,
      outcome: 'inconclusive',
    });
  });

  test('one that failed decides, and its value is the one shown', () => {
    expect(judge('p99 < 100ms', p99(80), { ...p99(900), ...BEHIND }, p99(101))).toMatchObject({
      value: 101,
      outcome: 'fail',
    });
  });
});

describe('an invalid round', () => {
  test.each<[string, Partial<LoadMeasurement>]>([
    ['p99 < 100ms', {}],
    ['p99 < 10ms', {}],
    ['service.p99 < 10ms', {}],
    ['min > 2ms', {}],
    ['lost == 0', {}],
    ['errors < 1%', {}],
    ['rate >= 99%', { achievedRate: 100 }],
    ['goodput >= 501/s', {}],
    ['goodput < 499/s', {}],
    ['refused < 1%', { statuses: { '200': 500, '429': 500 } }],
    ['lost == 0', { lost: { timeout: 3, interrupted: 2, EMFILE: 1 } }],
    ['p99 < 70ms', p99(200)],
    ['errors < 1%', { unsent: 200, lost: { timeout: 100 }, statuses: { '503': 100, '504': 100 } }],
    ['errors < 1%', { statuses: { '500': 9, '502': 0, '200': 991 } }],
  ])('leaves open what the generator may have caused: %s', (text, changes) => {
    expect(judge(text, { ...changes, ...BEHIND }).outcome).toBe('inconclusive');
  });

  test.each<[string, Partial<LoadMeasurement>, number]>([
    ['lost == 0', { lost: { timeout: 3, HPE_INVALID_CONSTANT: 1 } }, 4],
    ['lost < 1', { lost: { HPE_INVALID_CONSTANT: 1 } }, 1],
    ['lost == 0', { lost: { ECONNRESET: 2, UND_ERR_SOCKET: 1 } }, 3],
    ['errors < 1%', { lost: { ECONNRESET: 40, UND_ERR_SOCKET: 20 } }, 6],
    ['lost <= 1', { lost: { HPE_INVALID_CONSTANT: 2 } }, 2],
    ['errors < 1%', { statuses: { '200': 990, '500': 9, '502': 1 } }, 1],
    ['errors < 1%', { unsent: 90, unsentBy: { ECONNREFUSED: 5 }, statuses: { '500': 5 } }, 9.5],
  ])('fails what only the target can have caused: %s', (text, changes, value) => {
    expect(judge(text, { ...changes, ...BEHIND })).toMatchObject({ value, outcome: 'fail' });
  });
});

describe('capacity', () => {
  test('is judged by the rate found', () => {
    expect(capacityOf('capacity >= 500/s', 500)).toBe('pass');
    expect(capacityOf('capacity > 500/s', 500)).toBe('fail');
    expect(capacityOf('capacity >= 500/s', null)).toBe('inconclusive');
  });

  test('is not judged by an invalid confirmation', () => {
    expect(capacityOf('capacity >= 500/s', 900, BEHIND)).toBe('inconclusive');
    expect(capacityOf('capacity >= 500/s', 100, BEHIND)).toBe('inconclusive');
  });

  test('is only a floor if the generator ended the search', () => {
    expect(capacityOf('capacity >= 500/s', 500, {}, true)).toBe('pass');
    expect(capacityOf('capacity >= 500/s', 400, {}, true)).toBe('inconclusive');
    expect(capacityOf('capacity < 500/s', 400, {}, true)).toBe('inconclusive');
    expect(capacityOf('capacity <= 500/s', 501, {}, true)).toBe('fail');
    expect(capacityOf('capacity == 500/s', 500, {}, true)).toBe('inconclusive');
    expect(capacityOf('capacity == 500/s', 501, {}, true)).toBe('fail');
  });
});

function p99(milliseconds: number): Partial<LoadMeasurement> {
  return { responseTime: { ...SAMPLE_TIMES, p99: milliseconds } };
}

function capacityOf(
  text: string,
  capacity: number | null,
  changes: Partial<LoadMeasurement> = {},
  isCapacityFloor = false,
): LoadOutcome {
  const measurements = [sampleMeasurement(changes)];
  return judgeThreshold(readThreshold(text, '--threshold'), { measurements, capacity, isCapacityFloor })
    .outcome;
}

describe('what the generator may have done', () => {
  const late = { generatorLag: { ...SAMPLE_TIMES, max: 30 } };

  test.each<[string, Partial<LoadMeasurement>, string]>([
    ['p99 < 70ms', late, 'inconclusive'],
    ['p99 < 45ms', late, 'fail'],
    ['p99 < 25ms', { generatorLag: { ...SAMPLE_TIMES, max: 90 } }, 'fail'],
    ['p99 < 90ms', late, 'pass'],
    ['service.p99 < 29ms', late, 'fail'],
    ['p99 < 70ms', { model: 'closed', limitedBy: 'generator' }, 'inconclusive'],
    ['goodput >= 501', { model: 'closed', limitedBy: 'ceiling' }, 'inconclusive'],
    ['goodput >= 500', { model: 'closed', limitedBy: 'ceiling' }, 'pass'],
    ['errors < 1%', { model: 'closed', limitedBy: 'generator', statuses: { '500': 1000 } }, 'fail'],
  ])('%s, %j: %s', (text, changes, outcome) => {
    expect(judge(text, changes).outcome).toBe(outcome);
  });
});

describe('a generator that is too late, and nothing else that is invalid', () => {
  const generatorLag = { ...SAMPLE_TIMES, p99: 60, max: 400 };
  const lateness = String(latenessOf({ model: 'open', generatorLag }));

  test.each<[string, readonly string[], string]>([
    ['p99 < 100ms', [lateness], 'fail'],
    ['p99 < 0.1s', [lateness], 'fail'],
    // The lateness may be all of what is over.
    ['p99 < 9700ms', [lateness], 'inconclusive'],
    // Less may have been asked than was to be.
    ['p99 < 20s', [lateness], 'inconclusive'],
    ['p99 > 1s', [lateness], 'pass'],
    ['p99 < 100ms', [lateness, 'Interrupted.'], 'inconclusive'],
  ])('%s with %j: %s', (text, invalid, outcome) => {
    expect(judge(text, { ...p99(10_000), generatorLag, invalid }).outcome).toBe(outcome);
  });
});
