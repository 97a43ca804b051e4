import { printableLine } from '../model/words.ts';

/** The unit that ends the name of a family; '' if it counts things. */
export type Unit = 'seconds' | 'ratio' | 'requests_per_second' | '';

export type Labels = Readonly<Record<string, string>>;

interface Sample {
  /** What follows the name of the family, such as `_total`. */
  readonly suffix: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A metric family: its name with its unit, its type, what it means and its samples. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'info' | 'stateset' | 'summary' | 'histogram';
  readonly unit: Unit;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Every name begins with it. */
const PREFIX = 'stockcheck_load';

/** What describes a family; `name` is what follows `stockcheck_load_`. */
type Description = readonly [name: string, type: MetricFamily['type'], help: string, unit?: Unit];

export function family(
  [name, type, help, unit = '']: Description,
  samples: MetricFamily['samples'],
): MetricFamily {
  return { name: fullName(name), type, unit, help, samples };
}

function fullName(name: string): string {
  return name === '' ? PREFIX : `${PREFIX}_${name}`;
}

/** Longest value of a label, in characters. */
const LABEL_LIMIT = 200;

/**
 * The families in the text format of OpenMetrics 1.0. A family without samples is left out, and of samples with
 * the same name and labels only the first is written. A value must be finite.
 */
export function openMetricsText(families: readonly MetricFamily[]): string {
  const lines = families.filter(({ samples }) => samples.length > 0).flatMap(familyLines);
  return `${[...lines, '# EOF'].join('\n')}\n`;
}

function familyLines({ name, type, unit, help, samples }: MetricFamily): readonly string[] {
  const values = new Map<string, number>();
  for (const { suffix, labels, value } of samples) {
    const key = `${name}${suffix}${labelsText(labels)}`;
    if (!values.has(key)) {
      values.set(key, value);
    }
  }
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === '' ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...[...values].map(([key, value]) => `${key} ${value}`),
  ];
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(printableLine(value, LABEL_LIMIT))}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}

/** A sample, or none if there is no finite value. */
export function sampleOf(labels: Labels, value: number | null, suffix = ''): readonly Sample[] {
  return value === null || !Number.isFinite(value) ? [] : [{ suffix, labels, value }];
}

/** One sample for each state of a family: 1 for the current one. */
export function statesOf(
  name: string,
  labels: Labels,
  states: readonly string[],
  is: string,
): readonly Sample[] {
  return states.flatMap((state) => sampleOf({ ...labels, [fullName(name)]: state }, state === is ? 1 : 0));
}
