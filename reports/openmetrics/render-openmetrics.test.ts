import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LATENCY_BUCKETS } from '../../contract/load-result.ts';
import { familiesText, type FamilyRow } from './text.ts';
import { renderOpenMetrics } from './render-openmetrics.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { hostileOf } from '../model/sample-report.test-data.ts';

/** A sample as a reader of the format finds it. */
interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric family as a reader of the format finds it. */
interface ReadFamily {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

const NAME = String.raw`[a-zA-Z_:][a-zA-Z0-9_:]*`;
const ESCAPED = String.raw`(?:[^"\\\n]|\\[\\n"])*`;
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="${ESCAPED}"`;
const SAMPLE = String.raw`${NAME}(?:\{${LABEL}(?:,${LABEL})*\})? -?\d+(?:\.\d+)?(?:e[-+]?\d+)?\n`;
const FAMILY = new RegExp(
  `^# TYPE (${NAME}) (\\w+)\n(?:# UNIT \\1 (\\w+)\n)?# HELP \\1 ((?:[^\\\\\n]|\\\\[\\\\n"])*)\n((?:${SAMPLE})+)$`,
);

/** The suffixes of sample names, by the type of their family. */
const SUFFIXES: Readonly<Record<string, RegExp>> = {
  counter: /^_total$/,
  gauge: /^$/,
  info: /^_info$/,
  stateset: /^$/,
  summary: /^(?:_count|_sum)?$/,
  histogram: /^_(?:bucket|count|sum)$/,
};

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

/**
 * Reads the part of the text format of OpenMetrics 1.0 that has no timestamps and no exemplars, and throws if
 * the text breaks its grammar: descriptors occur once and before the samples of their family, families do not mix,
 * names end with their unit and have the suffix of their type, labels are escaped and no sample occurs twice.
 */
function readOpenMetrics(text: string): readonly ReadFamily[] {
  require(text.endsWith('# EOF\n'), 'The text does not end with # EOF and a line feed');
  const families = text
    .slice(0, -'# EOF\n'.length)
    .split(/^(?=# TYPE )/m)
    .filter((block) => block !== '')
    .map(readFamily);
  const names = families.map(({ name }) => name);
  require(new Set(names).size === names.length, 'A family is cut in two');
  return families;
}

function readFamily(block: string): ReadFamily {
  const [whole, name = '', type = '', unit = '', help = '', lines = ''] = FAMILY.exec(block) ?? [];
  require(whole !== undefined, `No family with its samples: ${block.slice(0, 400)}`);
  require(unit === '' || name.endsWith(`_${unit}`), `${name} does not end with its unit ${unit}`);
  const samples = lines.trimEnd().split('\n').map(readSample);
  for (const sample of samples) {
    const suffix = sample.name.startsWith(name) ? sample.name.slice(name.length) : 'of another family';
    require(SUFFIXES[type]?.test(suffix) === true, `${sample.name} is no sample of the ${type} ${name}`);
    require(type !== 'counter' || sample.value >= 0, `A counter is negative: ${sample.name}`);
    const { quantile = '0' } = sample.labels;
    require(Number(quantile) >= 0 && Number(quantile) <= 1, `${quantile} is no quantile`);
  }
  const keys = samples.map((sample) =>
    JSON.stringify([
      sample.name,
      Object.entries(sample.labels).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]),
  );
  require(new Set(keys).size === keys.length, `A sample of ${name} occurs twice`);
  samples.forEach((sample, index) => requireOrder(samples[index - 1], sample));
  return { name, type, unit, help, samples };
}

function readSample(line: string): ReadSample {
  const [, name = '', labels = '', value] =
    new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`, 's').exec(line) ?? [];
  const pairs = [...labels.matchAll(new RegExp(`([a-zA-Z_]\\w*)="(${ESCAPED})"`, 'g'))].map(
    ([, label = '', text = '']) =>
      [label, text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))] as const,
  );
  require(new Set(pairs.map(([label]) => label)).size === pairs.length, `A label occurs twice: ${line}`);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

/** The buckets of one histogram are cumulative, in the order of their bounds, which are no whole numbers. */
function requireOrder(
  before: ReadSample | undefined,
  { name, labels: { le, ...others }, value }: ReadSample,
): void {
  if (le === undefined) {
    return;
  }
  const { le: lower, ...same } = before?.labels ?? {};
  const isFirst = before?.name !== name || JSON.stringify(same) !== JSON.stringify(others);
  const isOrdered = isFirst || (numberOf(lower) < numberOf(le) && before.value <= value);
  require(/[.e]|^\+Inf$/.test(le) && isOrdered, `A bucket is out of order: ${name} ${le}`);
}

function numberOf(le = ''): number {
  return le === '+Inf' ? Infinity : Number(le);
}

function require(condition: boolean, message: string): void {
  if (!condition) {
    throw new Error(message);
  }
}
