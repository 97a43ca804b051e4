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

/**
 * Reads the part of the text format of OpenMetrics 1.0 that has no timestamps and no exemplars, and throws if
 * the text breaks its grammar: descriptors occur once and before the samples of their family, families do not mix,
 * names end with their unit and have the suffix of their type, labels are escaped and no sample occurs twice.
 */
export function readOpenMetrics(text: string): readonly ReadFamily[] {
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
