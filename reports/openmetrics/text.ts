import { printableLine } from '../model/words.ts';

type Labels = Readonly<Record<string, string>>;

/** A value with its labels; `suffix` is what follows the name of the family, such as `_total`. */
export type MetricSample = readonly [labels: Labels, value: number | null, suffix?: string];

type FamilyType = 'counter' | 'gauge' | 'info' | 'stateset' | 'summary';

/**
 * A metric family of things of one kind: what follows `stockcheck_load` in its name, its type, what it means, and the
 * value, or the samples, of one thing. A name that ends in one of `UNITS` has that unit.
 */
export type FamilyRow<Thing> = readonly [
  name: string,
  type: FamilyType,
  help: string,
  of: (thing: Thing) => number | null | readonly MetricSample[],
];

/** A thing that is measured, with the labels of all its samples. */
export type Labelled<Thing> = readonly [thing: Thing, labels: Labels];

const UNITS = ['seconds', 'ratio', 'requests_per_second'];

/** Every name begins with it. */
const PREFIX = 'stockcheck_load';

/** Longest value of a label, in characters. */
const LABEL_LIMIT = 200;

/**
 * The families of these things in the text format of OpenMetrics 1.0, without its end. What has no finite value is left
 * out, and so is a family without samples; of samples with the same name and labels only the first is written.
 */
export function familiesText<Thing>(
  rows: readonly FamilyRow<Thing>[],
  things: readonly Labelled<Thing>[],
): string {
  return rows.map((row) => familyText(row, things)).join('');
}

function familyText<Thing>(
  [suffix, type, help, of]: FamilyRow<Thing>,
  things: readonly Labelled<Thing>[],
): string {
  const name = `${PREFIX}${suffix}`;
  const values = new Map<string, number>();
  for (const [thing, common] of things) {
    const found = of(thing);
    const samples: readonly MetricSample[] =
      typeof found === 'object' && found !== null ? found : [[{}, found]];
    for (const [labels, value, ending = ''] of samples) {
      const key = `${name}${ending}${labelsText({ ...common, ...labels })}`;
      if (value !== null && Number.isFinite(value) && !values.has(key)) {
        values.set(key, value);
      }
    }
  }
  const unit = UNITS.find((one) => name.endsWith(`_${one}`));
  return values.size === 0
    ? ''
    : [
        `# TYPE ${name} ${type}`,
        ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
        `# HELP ${name} ${escaped(help)}`,
        ...[...values].map(([key, value]) => `${key} ${value}`),
        '',
      ].join('\n');
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

/** Counts, by the label that says what is counted. */
export function totals(label: string, counts: Readonly<Record<string, number>>): readonly MetricSample[] {
  return Object.entries(counts).map(([key, count]) => [{ [label]: key }, count, '_total']);
}

/** One sample for each state of the family of that name: 1 for the current one. */
export function statesOf(name: string, states: readonly string[], is: string): readonly MetricSample[] {
  return states.map((state) => [{ [`${PREFIX}${name}`]: state }, state === is ? 1 : 0]);
}
