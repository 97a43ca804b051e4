import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { familiesText, type FamilyRow } from './text.ts';
import { renderOpenMetrics } from './render-openmetrics.ts';
import { SAMPLE_LOAD_REPORT } from '../model/sample-load-report.test-data.ts';
import { hostileOf } from '../model/sample-report.test-data.ts';

const NAME = String.raw`[a-zA-Z_:][a-zA-Z0-9_:]*`;
const ESCAPED = String.raw`(?:[^"\\\n]|\\[\\n"])*`;
const LABELS = String.raw`\{${NAME}="${ESCAPED}"(?:,${NAME}="${ESCAPED}")*\}`;
const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`;
/** What ends the names of samples, by the type of their family. */
const SUFFIX = {
  counter: '_total',
  gauge: '',
  info: '_info',
  stateset: '',
  summary: '(?:_count|_sum)?',
};

/** A family of that type in the part of OpenMetrics 1.0 that has no timestamps and no exemplars: its name ends in its unit. */
const familyOf = ([type, suffix]: readonly [type: string, suffix: string]): string => {
  const head = String.raw`# TYPE (?<name>${NAME}) ${type}\n(?:# UNIT \k<name> \w+\n)?# HELP \k<name> (?:[^\\\n]|\\[\\n"])+\n`;
  return String.raw`(?:${head}(?:\k<name>${suffix}(?:${LABELS})? ${NUMBER}\n)+)`;
};
const FAMILIES = Object.entries(SUFFIX).map((row) => new RegExp(`^${familyOf(row)}$`));

/** The value of each sample by its name and labels, if the text keeps the grammar and says nothing twice. */
function read(text: string): ReadonlyMap<string, number> {
  expect(text).toMatch(/# EOF\n$/);
  const families = text.replace(/# EOF\n$/, '').split(/^(?=# TYPE )/m);
  expect(families.filter((family) => !FAMILIES.some((grammar) => grammar.test(family)))).toEqual([]);
  for (const [, name = '', unit = ''] of text.matchAll(/^# UNIT (\S+) (\S+)$/gm)) {
    expect(name).toMatch(new RegExp(`_${unit}$`));
  }
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
  const samples = lines.map((line) => {
    const at = line.lastIndexOf(' ');
    return [line.slice(0, at), Number(line.slice(at))] as const;
  });
  const said = [...samples.map(([key]) => key), ...[...text.matchAll(/^# TYPE \S+/gm)].map(String)];
  expect(new Set(said).size).toBe(said.length);
  return new Map(samples);
}

const samples = read(renderOpenMetrics(SAMPLE_LOAD_REPORT));

/** Values of the samples of that name which have these labels. */
function valuesOf(name: string, ...labels: readonly string[]): readonly number[] {
  return [...samples].flatMap(([key, value]) =>
    key.split('{')[0] === `stockcheck_load_${name}` && labels.every((label) => key.includes(label))
      ? [value]
      : [],
  );
}

const ROUNDS = SAMPLE_LOAD_REPORT.scenarios.flatMap(({ id, measurements }) =>
  measurements.map((measured, index) => ({
    measured,
    labels: [`scenario="${id}"`, `round="${index + 1}"`],
  })),
);

describe('the metrics of a load report', () => {
  test.each(ROUNDS)('have the times of a round in seconds: $labels', ({ measured, labels }) => {
    const { responseTime, serviceTime } = measured;
    expect(valuesOf('response_time_seconds', ...labels, 'quantile="0.99"')).toEqual([
      (responseTime.p99 ?? -1) / 1000,
    ]);
    expect(valuesOf('service_time_max_seconds', ...labels)).toEqual([(serviceTime.max ?? -1) / 1000]);
  });

  test('have verdict, outcomes, thresholds, losses and windows', () => {
    expect(valuesOf('verdict', 'verdict="nonconformant"')).toEqual([1]);
    expect(valuesOf('verdict', 'verdict="conformant"')).toEqual([0]);
    expect(valuesOf('outcome', 'scenario="ramp"', 'outcome="inconclusive"')).toEqual([1]);
    expect(valuesOf('threshold_held', 'scenario="latency"', 'threshold="p99 < 10 ms"')).toEqual([0]);
    expect(valuesOf('threshold_held', 'scenario="ramp"')).toEqual([]);
    expect(valuesOf('measurement_valid', 'scenario="ramp"')).toEqual([0]);
    expect(valuesOf('lost_requests_total', 'scenario="ramp"', 'cause="timeout"')).toEqual([100]);
    expect(valuesOf('capacity_requests_per_second')).toEqual([1300]);
    expect(valuesOf('window_accepted_ratio', 'key="free#2"')).toEqual([64 / 60]);
    expect(valuesOf('findings', 'scenario="limit-accuracy"')).toEqual([1]);
  });

  test('keep the grammar whatever the target said', () => {
    const text = renderOpenMetrics(hostileOf(SAMPLE_LOAD_REPORT));
    expect(read(text).size).toBeGreaterThan(0);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(1_000_000);
  });
});

/** These families of a single thing, as a text. */
function written(...rows: readonly FamilyRow<null>[]): string {
  return `${familiesText(rows, [[null, {}]])}# EOF\n`;
}

test('any label, any help and any finite number is brought through', () => {
  const label = fc.string({ unit: fc.constantFrom('"', '\\', 'n', 'a', ',', '}', '{', '=', ' ', 'ü') });
  const help = fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', 'a'), minLength: 1 });
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(label, help, finite, (value, said, number) => {
      const all = [...read(written(['_some', 'gauge', said, () => [[{ a: value, b: 'x' }, number]]]))];
      const [, text = ''] = /a="(.*)",b="x"\}$/.exec(all[0]?.[0] ?? '') ?? [];
      expect([JSON.parse(`"${text}"`), all[0]?.[1], all.length]).toEqual([value, number + 0, 1]);
    }),
  );
});

test('no sample is written twice, and no family without one', () => {
  const twice: FamilyRow<null> = [
    '_some',
    'gauge',
    'Some.',
    () => [
      [{ a: '1' }, 1],
      [{ a: '1' }, 2],
      [{ a: '2' }, null],
    ],
  ];
  expect(written(twice, ['_none', 'gauge', 'None.', () => Number.NaN])).toBe(
    '# TYPE stockcheck_load_some gauge\n# HELP stockcheck_load_some Some.\nstockcheck_load_some{a="1"} 1\n# EOF\n',
  );
});
