import type {
  LoadMeasurement,
  LoadOperation,
  LoadSecond,
  TracedRequests,
} from '../../contract/load-result.ts';
import { sum } from './request-counts.ts';
import { mergeTraces } from './traced-requests.ts';
import {
  bucketsOfTimes,
  decodeTimes,
  newCoarseHistogram,
  percentileOfTimes,
  sumOfTimes,
  summaryOfTimes,
  type EncodedTimes,
  type Times,
} from './times.ts';

/** What a recorder has counted of its part of a load; the recordings of all parts add up to the whole. */
export interface Recording {
  readonly scheduled: number;
  readonly sent: number;
  readonly answered: number;
  readonly unsent: number;
  readonly lost: Readonly<Record<string, number>>;
  /** Milliseconds from the start to the last answer. */
  readonly latestAfter: number;
  readonly operations: readonly OperationRecording[];
  /** Service times of requests that left later than they were due. */
  readonly delayedService: Times;
  /** How long the requests that timed out had waited. */
  readonly timedOut: Times;
  readonly lag: Times;
  readonly seconds: readonly SecondRecording[];
  readonly traces: TracedRequests | null;
}

/** Responses of one operation. */
export interface OperationRecording {
  readonly name: string;
  readonly statuses: Readonly<Record<string, number>>;
  /** Response times of requests that left when they were due, which are also their service times. */
  readonly onTime: Times;
  /** Response times of all others. */
  readonly delayed: Times;
}

type Quantiles = Pick<LoadSecond, 'p50' | 'p99' | 'max'>;

export interface SecondRecording extends Pick<
  LoadSecond,
  'scheduled' | 'sent' | 'answered' | 'lost' | 'statuses'
> {
  /** Of what was answered in it: all times if they are to be added to those of others, otherwise only quantiles. */
  readonly times: { readonly quantiles: Quantiles } | { readonly all: EncodedTimes };
}

const CURVE = [
  0, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 96, 97, 98, 99, 99.3, 99.5, 99.7, 99.9, 99.95,
  99.99, 99.995, 99.999, 100,
];

/** The measurement that the recordings of all parts of a load add up to. */
export function measurementOf(
  recordings: readonly Recording[],
  {
    model,
    milliseconds,
    invalid,
  }: {
    readonly model: 'open' | 'closed';
    /** From the start until nothing was due any more. */
    readonly milliseconds: number;
    readonly invalid: readonly string[];
  },
): LoadMeasurement {
  const durationSeconds = Math.max(0.001, milliseconds / 1000);
  const operations = [
    ...Map.groupBy(
      recordings.flatMap((recording) => recording.operations),
      ({ name }) => name,
    ),
  ].map(([name, parts]) => mergeOperation(name, parts));
  const statuses = totalOf(operations.map((operation) => operation.statuses));
  const onTime = operations.map((operation) => operation.onTime);
  const delayed = operations.map((operation) => operation.delayed);
  const response = sumOfTimes([...onTime, ...delayed, ...recordings.map(({ timedOut }) => timedOut)]);
  const service = sumOfTimes([...onTime, ...recordings.map(({ delayedService }) => delayedService)]);
  const scheduled = sum(recordings.map((recording) => recording.scheduled));
  const sent = sum(recordings.map((recording) => recording.sent));
  const succeeded = sum(
    Object.entries(statuses).map(([status, count]) => (status.startsWith('2') ? count : 0)),
  );
  const traces = mergeTraces(recordings.map((recording) => recording.traces));
  const latestAfter = Math.max(0, ...recordings.map((recording) => recording.latestAfter));
  return {
    model,
    durationSeconds,
    scheduled,
    sent,
    answered: sum(recordings.map((recording) => recording.answered)),
    unsent: sum(recordings.map((recording) => recording.unsent)),
    lost: totalOf(recordings.map((recording) => recording.lost)),
    statuses,
    scheduledRate: scheduled / durationSeconds,
    achievedRate: sent / durationSeconds,
    goodput: succeeded / (Math.max(durationSeconds * 1000, latestAfter) / 1000),
    responseTime: summaryOfTimes(response),
    serviceTime: summaryOfTimes(service),
    percentiles:
      response.histogram.totalCount === 0
        ? []
        : CURVE.map((percentile) => [percentile, percentileOfTimes(response, percentile) ?? 0] as const),
    ...(traces === null ? {} : { traces }),
    histograms: { responseTime: bucketsOfTimes(response), serviceTime: bucketsOfTimes(service) },
    operations: operations.map((operation): LoadOperation => ({
      name: operation.name,
      answered: operation.onTime.histogram.totalCount + operation.delayed.histogram.totalCount,
      statuses: operation.statuses,
      responseTime: summaryOfTimes(sumOfTimes([operation.onTime, operation.delayed])),
    })),
    seconds: Array.from(
      { length: Math.max(0, ...recordings.map(({ seconds }) => seconds.length)) },
      (_, second) =>
        secondOf(
          second,
          recordings.flatMap(({ seconds }) => seconds[second] ?? []),
        ),
    ),
    generatorLag: summaryOfTimes(sumOfTimes(recordings.map(({ lag }) => lag))),
    invalid: [...invalid],
  };
}

/** One second over the recordings of all parts. */
export function secondOf(second: number, parts: readonly SecondRecording[]): LoadSecond {
  return {
    second,
    scheduled: sum(parts.map((part) => part.scheduled)),
    sent: sum(parts.map((part) => part.sent)),
    answered: sum(parts.map((part) => part.answered)),
    lost: sum(parts.map((part) => part.lost)),
    statuses: totalOf(parts.map((part) => part.statuses)),
    ...quantilesOf(parts),
  };
}

function quantilesOf(parts: readonly SecondRecording[]): Quantiles {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && 'quantiles' in only.times) {
    return only.times.quantiles;
  }
  return quantilesOfTimes(
    sumOfTimes(
      parts.map(({ times }) => {
        if ('quantiles' in times) {
          throw new TypeError('The times of this second were not kept, so no others can be added');
        }
        return decodeTimes(times.all);
      }),
      newCoarseHistogram(),
    ),
  );
}

export function quantilesOfTimes(times: Times): Quantiles {
  return {
    p50: percentileOfTimes(times, 50),
    p99: percentileOfTimes(times, 99),
    max: percentileOfTimes(times, 100),
  };
}

function mergeOperation(name: string, parts: readonly OperationRecording[]): OperationRecording {
  const [only] = parts;
  return only !== undefined && parts.length === 1
    ? only
    : {
        name,
        statuses: totalOf(parts.map(({ statuses }) => statuses)),
        onTime: sumOfTimes(parts.map(({ onTime }) => onTime)),
        delayed: sumOfTimes(parts.map(({ delayed }) => delayed)),
      };
}

function totalOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    total[name] = (total[name] ?? 0) + count;
  }
  return total;
}
