/** A sample as a reader of the format finds it. */
interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric family as a reader of the format finds it. */
export interface ReadFamily {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const DESCRIPTOR = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`, 's');
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?(?:[0-9]+(?:\\.[0-9]+)?(?:e[-+]?[0-9]+)?))$`, 's');
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/sy;

/** The suffixes of sample names, by the type of their family. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  info: ['_info'],
  stateset: [''],
  summary: ['', '_count', '_sum'],
  histogram: ['_bucket', '_count', '_sum'],
};

/**
 * Reads the part of the text format of OpenMetrics 1.0 that has no timestamps and no exemplars, and throws if
 * the text breaks its grammar: descriptors occur once and before the samples of their family, families do not mix,
 * names end with their unit and have the suffix of their type, labels are escaped and no sample occurs twice.
 */
export function readOpenMetrics(text: string): readonly ReadFamily[] {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.pop() !== '# EOF') {
    throw new Error('The text does not end with # EOF and a line feed');
  }
  const families: ReadFamily[] = [];
  const samples = new Set<string>();
  for (const line of lines) {
    const [, kind, name = '', rest = ''] = DESCRIPTOR.exec(line) ?? [];
    if (kind !== undefined) {
      describe(families, kind, name, rest);
      continue;
    }
    const sample = readSample(line);
    const labels = Object.entries(sample.labels).map((label) => JSON.stringify(label));
    const key = [sample.name, ...labels.toSorted((left, right) => left.localeCompare(right))].join(' ');
    if (samples.has(key)) {
      throw new Error(`The sample occurs twice: ${line}`);
    }
    samples.add(key);
    add(families, sample, line);
  }
  return families;
}

function describe(families: ReadFamily[], kind: string, name: string, rest: string): void {
  const last = families.at(-1);
  if (last?.name !== name) {
    if (families.some((family) => family.name === name)) {
      throw new Error(`The family ${name} is cut in two`);
    }
    families.push({ name, type: 'unknown', unit: '', help: '', samples: [] });
  } else if (last.samples.length > 0) {
    throw new Error(`A descriptor of ${name} comes after a sample`);
  }
  const family = families.pop();
  if (family === undefined) {
    throw new Error('There is no family');
  }
  const member = kind.toLowerCase();
  if (kind === 'UNIT' && !name.endsWith(`_${rest}`)) {
    throw new Error(`${name} does not end with its unit ${rest}`);
  }
  if (kind === 'HELP' && /\n|(?<!\\)(?:\\\\)*\\(?![\\n"])/.test(rest)) {
    throw new Error(`The help of ${name} is not escaped`);
  }
  families.push({ ...family, [member]: rest });
}

function add(families: ReadFamily[], sample: ReadSample, line: string): void {
  const family = families.pop();
  const suffixes = SUFFIXES[family?.type ?? ''] ?? [];
  if (family === undefined || !suffixes.some((suffix) => sample.name === family.name + suffix)) {
    throw new Error(`The sample is of no family before it: ${line}`);
  }
  if (family.type === 'counter' && sample.value < 0) {
    throw new Error(`A counter is negative: ${line}`);
  }
  if (family.type === 'summary' && sample.name === family.name) {
    const quantile = Number(sample.labels['quantile']);
    if (!(quantile >= 0 && quantile <= 1)) {
      throw new Error(`A quantile is not between 0 and 1: ${line}`);
    }
  }
  if (sample.name === `${family.name}_bucket`) {
    addBucket(family, sample, line);
  }
  families.push({ ...family, samples: [...family.samples, sample] });
}

/** The buckets of one histogram are cumulative, in the order of their bounds. */
function addBucket({ samples }: ReadFamily, { name, labels, value }: ReadSample, line: string): void {
  const { le = '', ...others } = labels;
  const before = samples.at(-1);
  const { le: lower = '', ...same } = before?.labels ?? {};
  const continues = before?.name === name && JSON.stringify(same) === JSON.stringify(others);
  const isOrdered = !continues || (numberOf(lower) < numberOf(le) && before.value <= value);
  if (Number.isNaN(numberOf(le)) || !isOrdered) {
    throw new Error(`A bucket is out of order: ${line}`);
  }
}

function numberOf(le: string): number {
  return le === '+Inf' ? Infinity : /[.e]/.test(le) ? Number(le) : Number.NaN;
}

function readSample(line: string): ReadSample {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined) {
    throw new Error(`Neither a descriptor nor a sample: ${line}`);
  }
  return { name, labels: readLabels(labels), value: Number(value) };
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name, value = ''] = LABEL.exec(text) ?? [];
    if (name === undefined || labels.has(name)) {
      throw new Error(`Not a list of labels: ${text}`);
    }
    labels.set(
      name,
      value.replace(/\\(.)/gs, (_, character: string) => (character === 'n' ? '\n' : character)),
    );
  }
  return Object.fromEntries(labels);
}
