import type {
  AnswerFigures,
  LoadMeasurement,
  LoadOperation,
  LoadSecond,
} from '../../contract/load-result.ts';
import { SUCCESS_CLASS, type RecordedSpan, type Recording, type SecondRecording } from './recorder.ts';
import { sum } from './request-counts.ts';
import {
  newCoarseHistogram,
  percentileOfTimes,
  quantilesOfTimes,
  sumOfTimes,
  summaryOfTimes,
  type Quantiles,
  type Times,
} from './times.ts';

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
    /** From the start until the load was over. */
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
  const answers = operations.flatMap(({ success, other }) => [...success, ...other]);
  const response = sumOfTimes([...answers, ...recordings.map(({ timedOut }) => timedOut)]);
  const service = sumOfTimes(recordings.map((recording) => recording.service));
  const scheduled = sum(recordings.map((recording) => recording.scheduled));
  const lost = totalOf(recordings.map((recording) => recording.lost));
  const answered = sum(Object.values(statuses));
  const sent = answered + sum(Object.values(lost));
  const unsentBy = totalOf(recordings.map((recording) => recording.unsentBy));
  const seconds = mergeSeconds(recordings);
  const scheduledRate = scheduled / durationSeconds;
  const sustained = (what: keyof Recording['spans'], countOf: (second: LoadSecond) => number): number =>
    sustainedRate(
      seconds.map(countOf),
      spanOf(recordings.flatMap(({ spans }) => spans[what] ?? [])),
      durationSeconds,
    );
  // Nothing goes faster than what it follows: that it began late does not make it quick.
  const achievedRate = Math.min(
    scheduledRate,
    sustained('sent', (second) => second.sent),
  );
  const figuresOf = (kind: 'success' | 'other'): AnswerFigures => {
    const responseTime = summaryOfTimes(sumOfTimes(operations.flatMap((operation) => operation[kind])));
    const rate = sustained(kind, (second) => answersIn(second, kind));
    return { rate: Math.min(rate, (achievedRate * responseTime.count) / Math.max(1, sent)), responseTime };
  };
  const success = figuresOf('success');
  return {
    model,
    durationSeconds,
    scheduled,
    sent,
    answered,
    unsent: sum(Object.values(unsentBy)),
    unsentBy,
    repeated: sum(recordings.map(({ repeated }) => repeated)),
    lost,
    statuses,
    scheduledRate,
    achievedRate,
    goodput: success.rate,
    answers: { success, other: figuresOf('other') },
    responseTime: summaryOfTimes(response),
    serviceTime: summaryOfTimes(service),
    percentiles: curveOf(response),
    operations: operations.map((operation): LoadOperation => ({
      name: operation.name,
      answered: sum(Object.values(operation.statuses)),
      statuses: operation.statuses,
      responseTime: summaryOfTimes(sumOfTimes([...operation.success, ...operation.other])),
    })),
    seconds,
    generatorLag: summaryOfTimes(sumOfTimes(recordings.map(({ lag }) => lag))),
    invalid: [...invalid],
  };
}

function curveOf(times: Times): LoadMeasurement['percentiles'] {
  return times.histogram.totalCount === 0
    ? []
    : CURVE.map((percentile) => [percentile, percentileOfTimes(times, percentile) ?? 0] as const);
}

function mergeSeconds(recordings: readonly Recording[]): readonly LoadSecond[] {
  return Array.from(
    { length: Math.max(0, ...recordings.map(({ seconds }) => seconds.length)) },
    (_, second) =>
      secondOf(
        second,
        recordings.flatMap(({ seconds }) => seconds[second] ?? []),
      ),
  );
}

function answersIn({ answered, statuses }: LoadSecond, kind: 'success' | 'other'): number {
  const successes = statuses[SUCCESS_CLASS] ?? 0;
  return kind === 'success' ? successes : answered - successes;
}

function spanOf(spans: readonly RecordedSpan[]): RecordedSpan | null {
  return spans.length === 0
    ? null
    : {
        first: Math.min(...spans.map(({ first }) => first)),
        last: Math.max(...spans.map(({ last }) => last)),
      };
}

/**
 * The highest rate, a second, that was kept up from the first event on for as long as the load took at least. A delay
 * that is the same for all takes nothing from it, nor do a few that come much later than the others.
 * @param counts events by second
 */
function sustainedRate(
  counts: readonly number[],
  span: RecordedSpan | null,
  durationSeconds: number,
): number {
  if (span === null) {
    return 0;
  }
  let total = 0;
  let highest = 0;
  for (const [second, count] of counts.entries()) {
    total += count;
    const passed = Math.min(second + 1, span.last / 1000) - span.first / 1000;
    highest = Math.max(highest, total / Math.max(durationSeconds, passed));
  }
  return highest;
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
        return times.all;
      }),
      newCoarseHistogram(),
    ),
  );
}

function mergeOperation(name: string, parts: Recording['operations']) {
  return {
    name,
    statuses: totalOf(parts.map(({ statuses }) => statuses)),
    success: parts.map(({ success }) => success),
    other: parts.map(({ other }) => other),
  };
}

function totalOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    total[name] = (total[name] ?? 0) + count;
  }
  return total;
}
