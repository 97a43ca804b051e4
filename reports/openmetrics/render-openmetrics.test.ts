import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOpenMetrics, type ReadFamily } from './grammar.test-data.ts';
import { LATENCY_BUCKETS } from '../../contract/latency-buckets.ts';
import { familiesText, type FamilyRow } from './text.ts';
import { renderOpenMetrics } from './render-openmetrics.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { hostileOf } from '../model/sample-report.test-data.ts';

const families = readOpenMetrics(renderOpenMetrics(SAMPLE_LOAD_REPORT));

function familyOf(name: string): ReadFamily {
  const found = families.find((family) => family.name === `stockcheck_load_${name}`);
  if (found === undefined) {
    throw new Error(`There is no family ${name}`);
  }
  return found;
}

/** Values of the samples that have these labels. */
function valuesOf(name: string, labels: Readonly<Record<string, string>>): readonly number[] {
  return familyOf(name)
    .samples.filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .map(({ value }) => value);
}

describe('the metrics of a load report', () => {
  test('name what they count, in base units', () => {
    for (const { name, type, help } of families) {
      expect(name).toMatch(/^stockcheck_load(?:_|$)/);
      expect(type).not.toBe('unknown');
      expect(help).not.toBe('');
      expect(name).not.toMatch(/milliseconds|percent/);
    }
    expect(familyOf('response_time_seconds')).toMatchObject({ type: 'summary', unit: 'seconds' });
    expect(familyOf('lost_ratio')).toMatchObject({ type: 'gauge', unit: 'ratio' });
  });

  test('have the times of each round in seconds', () => {
    for (const { id, measurements } of SAMPLE_LOAD_REPORT.scenarios) {
      for (const [index, { responseTime, serviceTime }] of measurements.entries()) {
        const labels = { scenario: id, round: `${index + 1}` };
        expect(valuesOf('response_time_seconds', { ...labels, quantile: '0.99' })).toEqual([
          (responseTime.p99 ?? -1) / 1000,
        ]);
        expect(valuesOf('service_time_max_seconds', labels)).toEqual([(serviceTime.max ?? -1) / 1000]);
      }
    }
  });

  test('count the times of each round in the same buckets, which add up to all of them', () => {
    for (const { id, measurements } of SAMPLE_LOAD_REPORT.scenarios) {
      for (const [index, { responseTime, histograms }] of measurements.entries()) {
        const labels = { scenario: id, round: `${index + 1}` };
        const buckets = familyOf('response_time_histogram_seconds').samples.filter(
          ({ name, labels: own }) =>
            name.endsWith('_bucket') && own['scenario'] === id && own['round'] === labels.round,
        );
        expect(buckets.map((sample) => sample.labels['le'])).toEqual([
          ...LATENCY_BUCKETS.map((upTo) => expect.toSatisfy((le) => Number(le) === upTo / 1000)),
          '+Inf',
        ]);
        expect(buckets.at(-1)?.value).toBe(responseTime.count);
        const upTo = histograms?.responseTime[0]?.[0] ?? null;
        const first = buckets.find(({ value }) => value > 0);
        expect(first?.labels['le']).toSatisfy((le) => upTo === null || Number(le) === upTo / 1000);
      }
    }
  });

  test('have verdict, outcomes, thresholds, losses, windows and changes', () => {
    expect(valuesOf('verdict', { stockcheck_load_verdict: 'nonconformant' })).toEqual([1]);
    expect(valuesOf('verdict', { stockcheck_load_verdict: 'conformant' })).toEqual([0]);
    expect(valuesOf('outcome', { scenario: 'ramp', stockcheck_load_outcome: 'inconclusive' })).toEqual([1]);
    expect(valuesOf('threshold_held', { scenario: 'latency', threshold: 'p99 < 10 ms' })).toEqual([0]);
    expect(valuesOf('threshold_held', { scenario: 'ramp' })).toEqual([]);
    expect(valuesOf('measurement_valid', { scenario: 'ramp' })).toEqual([0]);
    expect(valuesOf('lost_requests', { scenario: 'ramp', cause: 'timeout' })).toEqual([100]);
    expect(valuesOf('capacity_requests_per_second', {})).toEqual([1300]);
    expect(valuesOf('window_accepted_ratio', { key: 'free#2' })).toEqual([64 / 60]);
    expect(valuesOf('change_ratio', { scenario: 'latency', measure: 'p99' })).toEqual([0.341]);
    expect(valuesOf('findings', { scenario: 'limit-accuracy' })).toEqual([1]);
  });

  test('leave out what was not measured', () => {
    const none = renderOpenMetrics({ ...SAMPLE_LOAD_REPORT, scenarios: [], comparison: null });
    expect(readOpenMetrics(none).map(({ name }) => name)).toEqual([
      'stockcheck_load',
      'stockcheck_load_verdict',
      'stockcheck_load_duration_seconds',
    ]);
  });

  test('keep the grammar whatever the target said', () => {
    const text = renderOpenMetrics(hostileOf(SAMPLE_LOAD_REPORT));
    expect(readOpenMetrics(text).length).toBeGreaterThan(0);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(1_000_000);
  });
});

describe('the text format', () => {
  test('brings any label and help through, and any finite number', () => {
    const label = fc.string({ unit: fc.constantFrom('"', '\\', 'n', 'a', ',', '}', '{', '=', ' ', 'ü') });
    fc.assert(
      fc.property(
        label,
        fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', 'a') }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (value, help, number) => {
          const [read] = readOpenMetrics(
            written(['_some', 'gauge', help, () => [[{ a: value, b: 'x' }, number]]]),
          );
          expect(read?.samples).toEqual([
            { name: 'stockcheck_load_some', labels: { a: value, b: 'x' }, value: number + 0 },
          ]);
        },
      ),
    );
  });

  test('has no sample twice and no family without one', () => {
    const text = written(
      [
        '_some',
        'gauge',
        'Some.',
        () => [
          [{ a: '1' }, 1],
          [{ a: '1' }, 2],
          [{ a: '2' }, null],
        ],
      ],
      ['_none', 'gauge', 'None.', () => Number.NaN],
    );
    expect(text).toBe(
      '# TYPE stockcheck_load_some gauge\n# HELP stockcheck_load_some Some.\nstockcheck_load_some{a="1"} 1\n# EOF\n',
    );
  });

  test.each([
    ['a 1\n# EOF\n', 'No family'],
    ['# TYPE a gauge\n# HELP a A.\na 1\n', 'does not end'],
    ['# TYPE a gauge\n# HELP a A.\na 1\na 1\n# EOF\n', 'occurs twice'],
    ['# TYPE a counter\n# HELP a A.\na 1\n# EOF\n', 'is no sample of'],
    ['# TYPE a gauge\n# HELP a A.\na{b="c"d="e"} 1\n# EOF\n', 'No family'],
    ['# TYPE a gauge\n# HELP a A.\na{b="\\x"} 1\n# EOF\n', 'No family'],
    ['# TYPE a gauge\n# UNIT a seconds\n# HELP a A.\na 1\n# EOF\n', 'does not end with its unit'],
    ['# TYPE a gauge\n# HELP a A.\na 1\n# TYPE a gauge\n# HELP a A.\na 2\n# EOF\n', 'cut in two'],
  ])('is judged by a reader that refuses %j', (text, message) => {
    expect(() => readOpenMetrics(text)).toThrow(message);
  });
});

/** These families of a single thing, as a text. */
function written(...rows: readonly FamilyRow<null>[]): string {
  return `${familiesText(rows, [[null, {}]])}# EOF\n`;
}
