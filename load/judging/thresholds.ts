import type {
  LatencySummary,
  LoadMeasurement,
  LoadOutcome,
  LoadThreshold,
} from '../../contract/load-result.ts';
import { answeredWith, failedCount, isServerError, lostCount } from '../figures/request-counts.ts';
import type {
  ThresholdMeasure,
  ThresholdRule,
  ThresholdUnit,
  TimeStatistic,
} from './threshold-expression.ts';

/** What a threshold is held against: the rounds of a scenario, and the capacity that it found. */
export interface ThresholdSubject {
  readonly measurements: readonly LoadMeasurement[];
  /** Requests a second; `null` if none was found. */
  readonly capacity: number | null;
  /** Whether the generator, not the target, ended the search, so that the capacity may be higher. */
  readonly isCapacityFloor?: boolean;
}

/** A value in the unit of the rule, and the bounds of the true value. */
interface Reading {
  readonly value: number;
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Judges one threshold over all rounds: every round has to hold, and the value is that of the worst.
 *
 * An invalid measurement was made by a generator that fell behind. It has sent another load
 * than the one stated, and it has read its clock late. What holds may hold because less was asked; long
 * times, a low rate, and requests unsent, timed out or reset on an idle connection may be its own fault. So
 * it decides only what it shows beyond doubt:
 * `lost` by connections refused and answers that are not HTTP; `errors` by these and by answers 5xx, without
 * 503 and 504, which a target may rightly give to the burst of a generator that catches up.
 *
 * A capacity is judged by itself if no measurement is invalid. If the generator ended the search,
 * the capacity found is only a floor: it may keep a limit from below, and crosses only one from above.
 *
 * Without a measurement, or without a value in one of them, nothing is known: inconclusive, never a pass.
 */
export function judgeThreshold(rule: ThresholdRule, subject: ThresholdSubject): LoadThreshold {
  const rounds = readingsOf(rule, subject).map((reading) => ({
    value: reading?.value ?? null,
    outcome: outcomeOf(rule, reading),
  }));
  const outcome = overall(rounds.map((round) => round.outcome));
  // A round that proves nothing must not lend its value to one that failed.
  const telling = outcome === 'fail' ? rounds.filter((round) => round.outcome === 'fail') : rounds;
  const values = telling.map(({ value }) => value).filter((value) => value !== null);
  return { expression: rule.expression, value: worst(rule, values), outcome };
}

function readingsOf(rule: ThresholdRule, subject: ThresholdSubject): readonly (Reading | undefined)[] {
  const { measurements, capacity, isCapacityFloor = false } = subject;
  if (rule.measure.name !== 'capacity') {
    return measurements.map((measurement) => readingOf(rule, measurement));
  }
  if (capacity === null) {
    return [undefined];
  }
  const isInvalid = measurements.some(({ invalid }) => invalid.length > 0);
  return [
    {
      value: capacity,
      lowest: isInvalid ? 0 : capacity,
      highest: isInvalid || isCapacityFloor ? Number.POSITIVE_INFINITY : capacity,
    },
  ];
}

function readingOf(rule: ThresholdRule, measurement: LoadMeasurement): Reading | undefined {
  const value = valueOf(rule.measure, measurement);
  if (value === null) {
    return undefined;
  }
  const scaled = inUnit(value, rule.unit);
  return measurement.invalid.length === 0
    ? { value: scaled, lowest: scaled, highest: scaled }
    : {
        value: scaled,
        lowest: certainPart(rule.measure, measurement),
        highest: Number.POSITIVE_INFINITY,
      };
}

/** Milliseconds, percent, requests a second or a count; `null` if there is none. */
function valueOf(measure: ThresholdMeasure, measurement: LoadMeasurement): number | null {
  if (measure.of !== 'counts') {
    return percentileOf(measurement, measure.of, measure.statistic);
  }
  switch (measure.name) {
    case 'errors':
      return percent(failedCount(measurement), measurement.scheduled);
    case 'refused':
      return percent(
        answeredWith(measurement, (status) => status === 429),
        measurement.answered,
      );
    case 'rate':
      // A closed model has no schedule to fall behind.
      return measurement.model === 'closed'
        ? null
        : percent(measurement.achievedRate, measurement.scheduledRate);
    case 'lost':
      return measurement.sent > 0 ? lostCount(measurement) : null;
    case 'goodput':
      return measurement.durationSeconds > 0 ? measurement.goodput : null;
    default:
      return null;
  }
}

/**
 * A statistic of the times of a measurement, in milliseconds; `null` if nothing was answered.
 *
 * A percentile that the summary does not hold is that of the next higher point of the curve, or of the
 * summary if it has none: never less than the true one.
 */
function percentileOf(
  measurement: LoadMeasurement,
  times: 'responseTime' | 'serviceTime',
  statistic: TimeStatistic,
): number | null {
  const summary = measurement[times];
  if (statistic === 'mean') {
    return summary.mean;
  }
  const wanted = statistic === 'min' ? 0 : statistic === 'max' ? 100 : Number(statistic.slice(1));
  // Points of the summary come first, so that an exact one is preferred to one of the curve.
  const curve = times === 'responseTime' ? measurement.percentiles : [];
  const reaching = [...pointsOf(summary), ...curve].filter(([percentile]) => percentile >= wanted);
  return reaching.toSorted(([left], [right]) => left - right)[0]?.[1] ?? null;
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

/** The least that an invalid measurement shows beyond doubt, in percent or as a count. */
function certainPart(measure: ThresholdMeasure, measurement: LoadMeasurement): number {
  const lost = lostCount(measurement, (cause) => cause === 'ECONNREFUSED' || cause.startsWith('HPE_'));
  if (measure.name === 'lost') {
    return lost;
  }
  if (measure.name === 'errors') {
    const failed = answeredWith(
      measurement,
      (status) => isServerError(status) && status !== 503 && status !== 504,
    );
    return percent(lost + failed, measurement.scheduled) ?? 0;
  }
  return 0;
}

/** Multiplied before it is divided, so that 7 of 100 is 7 and not a little more. */
function percent(part: number, whole: number): number | null {
  return whole > 0 ? (part * 100) / whole : null;
}

function inUnit(value: number, unit: ThresholdUnit): number {
  switch (unit) {
    case 's':
      return value / 1000;
    case 'us':
      // 1.001 ms are 1,001 us, which floating point misses by a little.
      return Number((value * 1000).toPrecision(12));
    default:
      return value;
  }
}

function outcomeOf(rule: ThresholdRule, reading: Reading | undefined): LoadOutcome {
  if (reading === undefined) {
    return 'inconclusive';
  }
  const { lowest, highest } = reading;
  if (holds(rule, lowest) && holds(rule, highest)) {
    return 'pass';
  }
  const excluded = rule.operator === '==' && (lowest > rule.limit || highest < rule.limit);
  const crossed = rule.operator !== '==' && !holds(rule, lowest) && !holds(rule, highest);
  return excluded || crossed ? 'fail' : 'inconclusive';
}

function holds({ operator, limit }: ThresholdRule, value: number): boolean {
  switch (operator) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    case '==':
      return value === limit;
  }
}

function overall(outcomes: readonly LoadOutcome[]): LoadOutcome {
  if (outcomes.includes('fail')) {
    return 'fail';
  }
  return outcomes.length === 0 || outcomes.includes('inconclusive') ? 'inconclusive' : 'pass';
}

/** The value farthest on the bad side. */
function worst({ operator, limit }: ThresholdRule, values: readonly number[]): number | null {
  const badness = (value: number): number =>
    operator === '==' ? Math.abs(value - limit) : operator.startsWith('<') ? value : -value;
  return values.toSorted((left, right) => badness(right) - badness(left))[0] ?? null;
}
