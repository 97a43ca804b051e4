import {
  type LatencySummary,
  type LoadMeasurement,
  type LoadOperation,
  type LoadSecond,
} from '../../contract/load-result.ts';
import { seededRandom } from '../../contract/seeded-random.ts';

/** What a sample measurement is made from. */
interface Course {
  readonly model?: LoadMeasurement['model'];
  readonly durationSeconds: number;
  /** Requests a second due in that second. */
  readonly rateAt: (second: number) => number;
  /** Median response time in that second, in milliseconds. */
  readonly medianAt?: (second: number) => number;
  /** Shares of the answers by status; what is left over is 200. */
  readonly shares?: (second: number) => Readonly<Record<string, number>>;
  /** Requests lost in that second. */
  readonly lostAt?: (second: number) => number;
  readonly seed?: number;
  readonly operations?: readonly string[];
  readonly invalid?: readonly string[];
}

const PERCENTILES = [0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99] as const;
const SEND_DELAY = 0.8;
const FAILURE_DELAY = 0.1;

/** Grows with the number of nines, as response times do. */
function quantile(median: number, percentile: number): number {
  const nines = Math.log10(1 / (1 - percentile / 100));
  return round(median * (0.5 + 1.6 * nines ** 1.3));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Shares at which the times of a second are taken. */
const TAKEN = Array.from({ length: 200 }, (_, index) => (index + 0.5) / 2);

/** Percentiles of times that are spread around these medians, each for an equal share of the requests. */
function spread(medians: readonly number[]): (percentile: number) => number {
  const times = medians
    .flatMap((median) => TAKEN.map((percentile) => quantile(median, percentile)))
    .toSorted((left, right) => left - right);
  return (percentile) =>
    times[Math.min(times.length - 1, Math.floor((times.length * percentile) / 100))] ?? 0;
}

/** A summary whose percentiles follow from these medians. */
function latency(count: number, medians: readonly number[]): LatencySummary {
  if (count === 0) {
    const none = { min: null, mean: null, p50: null, p90: null, p95: null, p99: null, p999: null, max: null };
    return { count, ...none };
  }
  const at = spread(medians);
  return {
    count,
    min: at(0),
    mean: round((sum(medians) / medians.length) * 1.3),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: at(100),
  };
}

function classOf(status: string): string {
  return status === '429' ? '429' : `${status[0]}xx`;
}

type Counted = readonly (readonly [name: string, count: number])[];

/** Counts of the same name together, without those of nothing. */
function together(counted: Counted): Readonly<Record<string, number>> {
  const groups = Map.groupBy(
    counted.filter(([, count]) => count > 0),
    ([name]) => name,
  );
  return Object.fromEntries([...groups].map(([name, rows]) => [name, sum(rows.map(([, count]) => count))]));
}

/** A measurement whose totals agree with its seconds. */
export function measurement(course: Course): LoadMeasurement {
  const { model = 'open', durationSeconds, rateAt, operations = [] } = course;
  const next = seededRandom(course.seed ?? 1);
  const answers: Counted[] = [];
  const medians: number[] = [];
  const seconds = Array.from({ length: durationSeconds }, (_, second): LoadSecond => {
    const scheduled = Math.round(rateAt(second));
    const lost = Math.min(scheduled, course.lostAt?.(second) ?? 0);
    const answered = scheduled - lost;
    const others = Object.entries(course.shares?.(second) ?? {}).map(
      ([status, share]) => [status, Math.floor(answered * share)] as const,
    );
    const counted: Counted = [['200', answered - sum(others.map(([, count]) => count))], ...others];
    const median = (course.medianAt?.(second) ?? 2) * (0.9 + 0.2 * next());
    answers.push(counted);
    medians.push(median);
    const { p50, p99, max } = latency(answered, [median]);
    return {
      second,
      scheduled,
      sent: scheduled,
      answered,
      lost,
      statuses: together(counted.map(([status, count]) => [classOf(status), count])),
      p50,
      p99,
      max,
    };
  });
  const total = (of: (second: LoadSecond) => number): number => sum(seconds.map(of));
  const scheduled = total((second) => second.scheduled);
  const answered = total((second) => second.answered);
  const lost = total((second) => second.lost);
  const successes = total(({ statuses }) => statuses['2xx'] ?? 0);
  const at = spread(medians);
  const scaled = (factor: number): number[] => medians.map((median) => median * factor);
  return {
    model,
    durationSeconds,
    scheduled,
    sent: scheduled,
    answered,
    unsent: 0,
    lost: lost === 0 ? {} : { ECONNRESET: Math.ceil(lost / 2), timeout: Math.floor(lost / 2) },
    statuses: together(answers.flat()),
    scheduledRate: round(scheduled / durationSeconds),
    achievedRate: round(scheduled / durationSeconds),
    goodput: round(successes / durationSeconds),
    answers: {
      success: { rate: round(successes / durationSeconds), responseTime: latency(successes, medians) },
      other: {
        rate: round((answered - successes) / durationSeconds),
        responseTime: latency(answered - successes, scaled(FAILURE_DELAY)),
      },
    },
    responseTime: latency(answered, medians),
    serviceTime: latency(answered, scaled(SEND_DELAY)),
    percentiles: PERCENTILES.map((percentile) => [percentile, at(percentile)] as const),
    operations: operations.map((name, index): LoadOperation => {
      const share = Math.floor(answered / operations.length);
      const count = index === 0 ? answered - share * (operations.length - 1) : share;
      return {
        name,
        answered: count,
        statuses: { 200: count },
        responseTime: latency(count, scaled(1 + index / 2)),
      };
    }),
    seconds,
    generatorLag: latency(scheduled, [course.invalid === undefined ? 0.05 : 40]),
    invalid: course.invalid ?? [],
  };
}
