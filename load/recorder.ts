import { build, type Histogram } from 'hdr-histogram-js';

import type { LatencySummary, LoadMeasurement, LoadOperation, LoadSecond } from '../contract/load-result.ts';
import type { LoadLoss, LoadResponse } from './load-request.ts';
import { TIMEOUT } from './load-request.ts';

/** Collects what the engines tell into histograms, each second by itself and all together. */
export interface Recorder {
  readonly due: (dueAt: number, lagMilliseconds: number) => void;
  readonly sent: (sentAt: number) => void;
  readonly response: (response: LoadResponse) => void;
  readonly loss: (loss: LoadLoss) => void;
  /** What the last whole second was like, for a line of progress. */
  readonly latest: () => LoadSecond | undefined;
  /** Closes the books. @param endedAt moment at which nothing was due any more */
  readonly measurement: (
    model: 'open' | 'closed',
    endedAt: number,
    invalid: readonly string[],
  ) => LoadMeasurement;
}

const MICROSECONDS = 1000;
// A percentile is right to three digits up to an hour.
const HISTOGRAM = {
  lowestDiscernibleValue: 1,
  highestTrackableValue: 3_600_000_000,
  numberOfSignificantValueDigits: 3,
} as const;
// What is only plotted is right to two digits, and so takes less of the processor's cache.
const COARSE_HISTOGRAM = { ...HISTOGRAM, numberOfSignificantValueDigits: 2 } as const;
const CURVE = [
  0, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 96, 97, 98, 99, 99.3, 99.5, 99.7, 99.9, 99.95,
  99.99, 99.995, 99.999, 100,
];

interface Second {
  scheduled: number;
  sent: number;
  answered: number;
  lost: number;
  readonly statuses: Record<string, number>;
  /** Of what was answered in it, until it is over. */
  histogram: Histogram | null;
  quantiles: Pick<LoadSecond, 'p50' | 'p99' | 'max'> | null;
}

/** Responses of one operation; each is recorded as few times as possible, and the sums are made in the end. */
interface Operation {
  readonly statuses: Record<string, number>;
  /** Response times of requests that left when they were due, which are their service times, too. */
  readonly prompt: Histogram;
  /** Response times of all others. */
  readonly delayed: Histogram;
}

/**
 * @param startsAt moment of `performance.now()` from which on requests count; what was due before is left out
 */
export function createRecorder(startsAt: number): Recorder {
  const delayedService = build(HISTOGRAM);
  const inVain = build(HISTOGRAM);
  const lag = build(HISTOGRAM);
  const seconds: Second[] = [];
  const lost: Record<string, number> = {};
  const operations = new Map<string, Operation>();
  let scheduled = 0;
  let sent = 0;
  let answered = 0;
  let unsent = 0;
  let lostCount = 0;
  let latestAt = startsAt;

  function secondAt(moment: number): Second {
    const index = Math.max(0, Math.floor((moment - startsAt) / 1000));
    for (let missing = seconds.length; missing <= index; missing += 1) {
      seconds.push({
        scheduled: 0,
        sent: 0,
        answered: 0,
        lost: 0,
        statuses: {},
        histogram: null,
        quantiles: null,
      });
      close(missing - 1);
    }
    const found = seconds[index];
    if (found === undefined) {
      throw new RangeError(`There is no second ${index}`);
    }
    return found;
  }

  /** Keeps of a second that is over only what is told of it. */
  function close(index: number): void {
    const second = seconds[index];
    if (second !== undefined) {
      second.quantiles = quantilesOf(second.histogram);
      second.histogram = null;
    }
  }

  return {
    due: (dueAt, lagMilliseconds) => {
      if (dueAt >= startsAt) {
        scheduled += 1;
        secondAt(dueAt).scheduled += 1;
        if (lagMilliseconds > 0) {
          lag.recordValue(toValue(lagMilliseconds));
        }
      }
    },
    sent: (sentAt) => {
      if (sentAt >= startsAt) {
        secondAt(sentAt).sent += 1;
      }
    },
    response: ({ request, status, dueAt, sentAt, answeredAt }) => {
      if (dueAt < startsAt) {
        return;
      }
      sent += 1;
      answered += 1;
      latestAt = Math.max(latestAt, answeredAt);
      const taken = toValue(answeredAt - dueAt);
      const second = secondAt(answeredAt);
      second.answered += 1;
      second.histogram ??= build(COARSE_HISTOGRAM);
      second.histogram.recordValue(taken);
      const name = nameOf(status);
      count(second.statuses, name.ofClass);
      let operation = operations.get(request.operation);
      if (operation === undefined) {
        operation = { statuses: {}, prompt: build(HISTOGRAM), delayed: build(HISTOGRAM) };
        operations.set(request.operation, operation);
      }
      count(operation.statuses, name.itself);
      if (sentAt === dueAt) {
        operation.prompt.recordValue(taken);
      } else {
        operation.delayed.recordValue(taken);
        delayedService.recordValue(toValue(answeredAt - sentAt));
      }
    },
    loss: ({ dueAt, sentAt, givenUpAt, cause }) => {
      if (dueAt < startsAt) {
        return;
      }
      lostCount += 1;
      if (sentAt === null) {
        unsent += 1;
      } else {
        sent += 1;
        count(lost, cause);
      }
      // Who waited in vain has waited at least this long; to leave it out would flatter.
      if (cause === TIMEOUT || sentAt === null) {
        inVain.recordValue(toValue(givenUpAt - dueAt));
      }
      secondAt(givenUpAt).lost += 1;
    },
    latest: () => {
      const second = seconds.at(-2);
      return second === undefined ? undefined : toSecond(second, seconds.length - 2);
    },
    measurement: (model, endedAt, invalid) => {
      const durationSeconds = Math.max(0.001, (endedAt - startsAt) / 1000);
      const books = [...operations.values()];
      const statuses = totalOf(books.map((operation) => operation.statuses));
      const prompt = books.map((operation) => operation.prompt);
      const response = sumOf([...prompt, ...books.map(({ delayed }) => delayed), inVain]);
      return {
        model,
        durationSeconds,
        scheduled,
        sent,
        answered,
        unsent,
        lost: { ...lost },
        statuses,
        scheduledRate: scheduled / durationSeconds,
        achievedRate: sent / durationSeconds,
        goodput:
          Object.entries(statuses).reduce((sum, [status, n]) => sum + (status.startsWith('2') ? n : 0), 0) /
          (Math.max(durationSeconds * 1000, latestAt - startsAt) / 1000),
        responseTime: summaryOf(response),
        serviceTime: summaryOf(sumOf([...prompt, delayedService])),
        percentiles:
          response.totalCount === 0
            ? []
            : CURVE.map((percentile) => [percentile, percentileOf(response, percentile) ?? 0] as const),
        operations: [...operations].map(([name, { statuses, prompt, delayed }]): LoadOperation => ({
          name,
          answered: prompt.totalCount + delayed.totalCount,
          statuses,
          responseTime: summaryOf(sumOf([prompt, delayed])),
        })),
        seconds: seconds.map(toSecond),
        generatorLag: summaryOf(lag),
        invalid: [...invalid],
      };
    },
  };
}

function toSecond({ histogram, quantiles, statuses, ...counts }: Second, second: number): LoadSecond {
  return { second, ...counts, statuses: { ...statuses }, ...(quantiles ?? quantilesOf(histogram)) };
}

function quantilesOf(histogram: Histogram | null): Pick<LoadSecond, 'p50' | 'p99' | 'max'> {
  return {
    p50: percentileOf(histogram, 50),
    p99: percentileOf(histogram, 99),
    max: percentileOf(histogram, 100),
  };
}

interface StatusName {
  readonly itself: string;
  /** `2xx`, `429` and so on: refusals for the rate are a class of their own. */
  readonly ofClass: string;
}

// To make such short texts for every response takes longer than to count them.
const STATUS_NAMES = new Map<number, StatusName>();

function nameOf(status: number): StatusName {
  let name = STATUS_NAMES.get(status);
  if (name === undefined) {
    name = { itself: `${status}`, ofClass: status === 429 ? '429' : `${Math.floor(status / 100)}xx` };
    STATUS_NAMES.set(status, name);
  }
  return name;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** What a histogram records of a time in milliseconds. */
function toValue(milliseconds: number): number {
  return Math.min(HISTOGRAM.highestTrackableValue, Math.max(1, Math.round(milliseconds * MICROSECONDS)));
}

function sumOf(histograms: readonly Histogram[]): Histogram {
  const sum = build(HISTOGRAM);
  for (const histogram of histograms) {
    sum.add(histogram);
  }
  return sum;
}

function totalOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, n] of counts.flatMap((one) => Object.entries(one))) {
    total[name] = (total[name] ?? 0) + n;
  }
  return total;
}

function percentileOf(histogram: Histogram | null, percentile: number): number | null {
  if (histogram === null || histogram.totalCount === 0) {
    return null;
  }
  // A percentile is the upper end of its class, which may lie beyond the highest value of all.
  const value = percentile === 100 ? Infinity : histogram.getValueAtPercentile(percentile);
  return Math.min(value, histogram.maxValue) / MICROSECONDS;
}

function summaryOf(histogram: Histogram): LatencySummary {
  return {
    count: histogram.totalCount,
    min: histogram.totalCount === 0 ? null : histogram.minNonZeroValue / MICROSECONDS,
    mean: histogram.totalCount === 0 ? null : histogram.mean / MICROSECONDS,
    p50: percentileOf(histogram, 50),
    p90: percentileOf(histogram, 90),
    p95: percentileOf(histogram, 95),
    p99: percentileOf(histogram, 99),
    p999: percentileOf(histogram, 99.9),
    max: percentileOf(histogram, 100),
  };
}
