import { closestName } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';

/** What a measure counts in, which decides the units that a limit on it may have. */
type Dimension = 'time' | 'share' | 'rate' | 'count';

type ThresholdOperator = '<' | '<=' | '>' | '>=' | '==';

export type ThresholdUnit = 'us' | 'ms' | 's' | '%' | '/s' | '';

// If two names are equally close to a misspelt one, the earlier is suggested.
const TIMES = ['p99.99', 'p99.9', 'p99', 'p95', 'p90', 'p75', 'p50', 'max', 'mean', 'min'] as const;

/** A statistic of a distribution of times. */
export type TimeStatistic = (typeof TIMES)[number];

/** What a threshold limits. */
export type ThresholdMeasure =
  | { readonly name: string; readonly of: 'responseTime' | 'serviceTime'; readonly statistic: TimeStatistic }
  | {
      readonly name: 'errors' | 'refused' | 'rate' | 'lost' | 'goodput' | 'capacity';
      readonly of: 'counts';
      readonly dimension: Dimension;
    };

/** A limit on a measure, read from text. */
export interface ThresholdRule {
  /** The text in canonical form: `p99 < 100 ms`, `errors < 0.1%`, `goodput >= 500/s`, `lost == 0`. */
  readonly expression: string;
  readonly measure: ThresholdMeasure;
  readonly operator: ThresholdOperator;
  /** In `unit`. */
  readonly limit: number;
  readonly unit: ThresholdUnit;
}

const MEASURES: readonly ThresholdMeasure[] = [
  ...TIMES.map((statistic) => ({ name: statistic, of: 'responseTime', statistic }) as const),
  ...TIMES.map((statistic) => ({ name: `service.${statistic}`, of: 'serviceTime', statistic }) as const),
  { name: 'errors', of: 'counts', dimension: 'share' },
  { name: 'refused', of: 'counts', dimension: 'share' },
  { name: 'rate', of: 'counts', dimension: 'share' },
  { name: 'lost', of: 'counts', dimension: 'count' },
  { name: 'goodput', of: 'counts', dimension: 'rate' },
  { name: 'capacity', of: 'counts', dimension: 'rate' },
];

const DIMENSIONS: Readonly<
  Record<Dimension, { readonly units: readonly ThresholdUnit[]; readonly example: string }>
> = {
  time: { units: ['ms', 's', 'us'], example: '100ms, 0.1s or 500us' },
  share: { units: ['%'], example: '0.1%' },
  rate: { units: ['/s', ''], example: '500/s' },
  count: { units: [''], example: '0' },
};

const OPERATORS = ['<', '<=', '>', '>=', '=='] as const satisfies readonly ThresholdOperator[];
const FORM = /^\s*([^\s<>=!~]+)\s*([<>=!~]+)\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\S*)\s*$/i;

/**
 * Reads a threshold such as `p99<100ms`.
 *
 * - `p50` `p75` `p90` `p95` `p99` `p99.9` `p99.99` `max` `mean` `min`: response time, in ms, s or us; with
 *   `service.` before them, service time
 * - `errors`: share of requests lost, unsent or answered 5xx; `refused`: share of the answers that are 429;
 *   `rate`: achieved share of the scheduled rate; in %
 * - `goodput`: answers 2xx a second; `capacity`: requests a second
 * - `lost`: a count
 * @param named what messages call the option, such as `--threshold`
 * @throws {ConfigurationError} which names what is wrong and what would be right
 */
export function readThreshold(text: string, named: string): ThresholdRule {
  const refuse = (problem: string): ConfigurationError =>
    new ConfigurationError(`${named} ${JSON.stringify(text)}: ${problem}`);

  const [, name = '', sign = '', number = '', suffix = ''] = FORM.exec(text) ?? [];
  if (name === '') {
    throw refuse('a threshold is a measure, an operator and a limit, such as p99<100ms or errors<0.1%');
  }
  const measure = MEASURES.find((candidate) => candidate.name === name.toLowerCase());
  if (measure === undefined) {
    throw refuse(unknownMeasure(name));
  }
  const operator = OPERATORS.find((candidate) => candidate === sign);
  if (operator === undefined) {
    throw refuse(`${sign} is no operator; use <, <=, >, >= or ==`);
  }
  const dimension = measure.of === 'counts' ? measure.dimension : 'time';
  const unit = readUnit(dimension, suffix);
  if (unit === undefined) {
    const given = suffix === '' ? 'the limit has no unit' : `${suffix} is no unit of ${measure.name}`;
    throw refuse(`${given}; write it like ${DIMENSIONS[dimension].example}`);
  }
  const limit = Number(number);
  const problem = problemOfLimit(dimension, operator, limit);
  if (problem !== undefined) {
    throw refuse(problem);
  }
  return {
    expression: `${measure.name} ${operator} ${limit}${dimension === 'time' ? ' ' : ''}${unit}`,
    measure,
    operator,
    limit,
    unit,
  };
}

function unknownMeasure(name: string): string {
  const names = MEASURES.map((measure) => measure.name);
  const closest = closestName(name, names);
  const known = names.filter((known) => !known.startsWith('service.')).join(', ');
  return closest === undefined
    ? `${name} is no measure; there are ${known}, and service. before those of time`
    : `${name} is no measure. Did you mean ${closest}?`;
}

function readUnit(dimension: Dimension, suffix: string): ThresholdUnit | undefined {
  const wanted = suffix.toLowerCase().replace(/^[µμ]s$/u, 'us');
  const unit = DIMENSIONS[dimension].units.find((candidate) => candidate === wanted);
  return dimension === 'rate' && unit === '' ? '/s' : unit;
}

/** A limit that no measurement, or every measurement, keeps is a mistake. */
function problemOfLimit(
  dimension: Dimension,
  operator: ThresholdOperator,
  limit: number,
): string | undefined {
  if (!Number.isFinite(limit)) {
    return 'the limit is too large a number';
  }
  if (dimension === 'share' && limit > 100) {
    return 'a share is at most 100%';
  }
  const highest = dimension === 'share' ? 100 : Number.POSITIVE_INFINITY;
  if ((operator === '<' && limit === 0) || (operator === '>' && limit === highest)) {
    return 'no value keeps this limit';
  }
  if ((operator === '>=' && limit === 0) || (operator === '<=' && limit === highest)) {
    return 'every value keeps this limit';
  }
  return undefined;
}
