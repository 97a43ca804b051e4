import type { LoadMeasurement, LoadOutcome, LoadThreshold } from '../../contract/load-result.ts';
import type { ThresholdRule, ThresholdUnit } from './threshold-expression.ts';

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
 * times, a low rate, and requests unsent or timed out may be its own fault. So
 * it decides only what it shows beyond doubt:
 * a time by what is left of it without the worst lateness, if nothing but that makes the measurement invalid;
 * `lost` by connections reset, answers cut off or no HTTP; `errors` by these, connections refused and answers 5xx, without
 * 503 and 504, which a target may rightly give to the burst of a generator that catches up.
 *
 * Of a valid measurement the generator may have delayed single requests, and of a closed model it or the ceiling may have set
 * the pace: a time that is crossed only with that, or a rate, decides nothing.
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

function readingOf({ measure, unit }: ThresholdRule, measurement: LoadMeasurement): Reading | undefined {
  const value = measure.read(measurement);
  if (value === null) {
    return undefined;
  }
  const scaled = inUnit(value, unit);
  const mayBeMore = measure.dimension === 'rate' && measurement.limitedBy !== undefined;
  return measurement.invalid.length === 0
    ? {
        value: scaled,
        lowest: inUnit(measure.least?.(measurement) ?? value, unit),
        highest: mayBeMore ? Number.POSITIVE_INFINITY : scaled,
      }
    : {
        value: scaled,
        lowest: inUnit(measure.certain?.(measurement) ?? 0, unit),
        highest: Number.POSITIVE_INFINITY,
      };
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
