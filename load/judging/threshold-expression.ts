import { closestName } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { LatencySummary, LoadMeasurement } from '../../contract/load-result.ts';
import { INTERRUPTED, isOwnCause, TIMEOUT } from '../engine/load-request.ts';
import { latenessOf } from '../figures/lateness.ts';
import { answeredWith, failedCount, isServerError, lostCount } from '../figures/request-counts.ts';

type Dimension = ThresholdMeasure['dimension'];

type ThresholdOperator = '<' | '<=' | '>' | '>=' | '==';

export type ThresholdUnit = 'us' | 'ms' | 's' | '%' | '/s' | '';

/** A limit on a measure, read from text. */
export type ThresholdRule = ReturnType<typeof readThreshold>;

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
 * - `errors`: share of requests lost, unsent or answered 5xx, or as no list is; `refused`: share of the answers that
 *   are 429; `rate`: achieved share of the scheduled rate; in %
 * - `goodput`: answers 2xx a second; `capacity`: requests a second
 * - `lost`: a count
 * @param named what messages call the option, such as `--threshold`
 * @throws {ConfigurationError} which names what is wrong and what would be right
 */
export function readThreshold(text: string, named: string) {
  const refuse = (problem: string): ConfigurationError =>
    new ConfigurationError(`${named} ${JSON.stringify(text)}: ${problem}`);

  const [, name = '', sign = '', number = '', suffix = ''] = FORM.exec(text) ?? [];
  if (name === '') {
    throw refuse('a threshold is a measure, an operator and a limit, such as p99<100ms or errors<0.1%');
  }
  const measure = THRESHOLD_MEASURES.find((candidate) => candidate.name === name.toLowerCase());
  if (measure === undefined) {
    throw refuse(unknownMeasure(name));
  }
  const operator = OPERATORS.find((candidate) => candidate === sign);
  if (operator === undefined) {
    throw refuse(`${sign} is no operator; use <, <=, >, >= or ==`);
  }
  const { dimension } = measure;
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
    /** The text in canonical form: `p99 < 100 ms`, `errors < 0.1%`, `goodput >= 500/s`, `lost == 0`. */
    expression: `${measure.name} ${operator} ${limit}${dimension === 'time' ? ' ' : ''}${unit}`,
    measure,
    operator,
    /** In `unit`. */
    limit,
    unit,
  };
}

function unknownMeasure(name: string): string {
  const names = THRESHOLD_MEASURES.map((measure) => measure.name);
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
  const isNone = dimension === 'time' && limit === 0 && (operator === '<=' || operator === '==');
  if (isNone || (operator === '<' && limit === 0) || (operator === '>' && limit === highest)) {
    return 'no value keeps this limit';
  }
  if ((operator === '>=' && limit === 0) || (operator === '<=' && limit === highest)) {
    return 'every value keeps this limit';
  }
  return undefined;
}

/** What a threshold limits. */
interface ThresholdMeasure {
  readonly name: string;
  /** What it counts in, which decides the units that a limit on it may have. */
  readonly dimension: 'time' | 'share' | 'rate' | 'count';
  /** Milliseconds, percent, requests a second or a count; `null` if there is none. */
  readonly read: (measurement: LoadMeasurement) => number | null;
  /** How many answers tell it; one by default. */
  readonly answers?: number;
  /** The least that the target itself may have taken; what was read by default. */
  readonly least?: (measurement: LoadMeasurement) => number | null;
  /** The least that an invalid measurement shows beyond doubt, as `read` counts it; nothing by default. */
  readonly certain?: (measurement: LoadMeasurement) => number;
}

// If two names are equally close to a misspelt one, the earlier is suggested.
const TIMES = ['p99.99', 'p99.9', 'p99', 'p95', 'p90', 'p75', 'p50', 'max', 'mean', 'min'] as const;

const THRESHOLD_MEASURES: readonly ThresholdMeasure[] = [
  ...TIMES.map((name) => timeMeasure(name, 'responseTime', name)),
  ...TIMES.map((name) => timeMeasure(`service.${name}`, 'serviceTime', name)),
  {
    name: 'errors',
    dimension: 'share',
    read: (measurement) => percent(failedCount(measurement), measurement.scheduled),
    certain: (measurement) =>
      percent(
        certainlyLost(measurement) +
          (measurement.unsentBy?.['ECONNREFUSED'] ?? 0) +
          certainlyFailed(measurement),
        measurement.scheduled,
      ) ?? 0,
  },
  {
    name: 'refused',
    dimension: 'share',
    read: (measurement) =>
      percent(
        answeredWith(measurement, (status) => status === 429),
        measurement.answered,
      ),
  },
  {
    name: 'rate',
    dimension: 'share',
    // A closed model has no schedule to fall behind.
    read: ({ model, achievedRate, scheduledRate }) =>
      model === 'closed' ? null : percent(achievedRate, scheduledRate),
  },
  {
    name: 'lost',
    dimension: 'count',
    read: (measurement) => (measurement.sent > 0 ? lostCount(measurement) : null),
    certain: certainlyLost,
  },
  {
    name: 'goodput',
    dimension: 'rate',
    read: ({ durationSeconds, goodput }) => (durationSeconds > 0 ? goodput : null),
  },
  // It is no figure of a single measurement.
  { name: 'capacity', dimension: 'rate', read: () => null },
];

/**
 * A statistic of the times of a measurement; `null` if nothing was answered.
 *
 * A percentile that the summary does not hold is that of the next higher point of the curve, or of the
 * summary if it has none: never less than the true one.
 */
function timeMeasure(
  name: string,
  times: 'responseTime' | 'serviceTime',
  statistic: (typeof TIMES)[number],
): ThresholdMeasure {
  const wanted = statistic === 'min' ? 0 : statistic === 'max' ? 100 : Number(statistic.slice(1));
  const readOf = (measurement: LoadMeasurement, of: typeof times): number | null => {
    const summary = measurement[of];
    if (statistic === 'mean') {
      return summary.mean;
    }
    // Points of the summary come first, so that an exact one is preferred to one of the curve.
    const curve = of === 'responseTime' ? measurement.percentiles : [];
    const reaching = [...pointsOf(summary), ...curve].filter(([percentile]) => percentile >= wanted);
    return reaching.toSorted(([left], [right]) => left - right)[0]?.[1] ?? null;
  };
  return {
    name,
    dimension: 'time',
    // The rule of three: if so many keep a time, a larger share than 95 in 100 of all does not break it.
    ...(wanted > 0 && wanted < 100 ? { answers: Math.round(300 / (100 - wanted)) } : {}),
    read: (measurement) => readOf(measurement, times),
    least: (measurement) => {
      const value = readOf(measurement, times);
      const lag = measurement.generatorLag.max ?? 0;
      if (value === null || measurement.limitedBy !== undefined) {
        return measurement.limitedBy === undefined ? null : 0;
      }
      // Part of a response time is how late the generator was.
      return times === 'serviceTime' || lag === 0
        ? value
        : Math.min(value, Math.max(value - lag, readOf(measurement, 'serviceTime') ?? 0));
    },
    // What is sent late, in a burst perhaps, is answered later by as much at most.
    certain: (measurement) =>
      measurement.invalid.every((reason) => reason === latenessOf(measurement))
        ? Math.max(0, (readOf(measurement, times) ?? 0) - (measurement.generatorLag.max ?? 0))
        : 0,
  };
}

function pointsOf(summary: LatencySummary): readonly (readonly [percentile: number, value: number])[] {
  const points = [
    [0, summary.min],
    [50, summary.p50],
    [90, summary.p90],
    [95, summary.p95],
    [99, summary.p99],
    [99.9, summary.p999],
    [100, summary.max],
  ] as const;
  return points.flatMap(([percentile, value]) => (value === null ? [] : [[percentile, value] as const]));
}

/** Requests lost by what no late generator causes: answers cut off, connections reset before an answer, and no HTTP. */
function certainlyLost(measurement: LoadMeasurement): number {
  return lostCount(measurement, (cause) => cause !== TIMEOUT && cause !== INTERRUPTED && !isOwnCause(cause));
}

/** Answers by which no target rightly defends itself against a burst. */
function certainlyFailed(measurement: LoadMeasurement): number {
  return answeredWith(measurement, (status) => isServerError(status) && status !== 503 && status !== 504);
}

/** Multiplied before it is divided, so that 7 of 100 is 7 and not a little more. */
function percent(part: number, whole: number): number | null {
  return whole > 0 ? (part * 100) / whole : null;
}
