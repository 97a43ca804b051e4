import type { LatencySummary, LoadMeasurement } from '../../contract/load-result.ts';
import { answeredWith, failedCount, isServerError, lostCount } from '../figures/request-counts.ts';

/** What a threshold limits. */
export interface ThresholdMeasure {
  readonly name: string;
  /** What it counts in, which decides the units that a limit on it may have. */
  readonly dimension: 'time' | 'share' | 'rate' | 'count';
  /** Milliseconds, percent, requests a second or a count; `null` if there is none. */
  readonly read: (measurement: LoadMeasurement) => number | null;
  /** The least that an invalid measurement shows beyond doubt; nothing by default. */
  readonly certain?: (measurement: LoadMeasurement) => number;
}

// If two names are equally close to a misspelt one, the earlier is suggested.
const TIMES = ['p99.99', 'p99.9', 'p99', 'p95', 'p90', 'p75', 'p50', 'max', 'mean', 'min'] as const;

export const THRESHOLD_MEASURES: readonly ThresholdMeasure[] = [
  ...TIMES.map((name) => timeMeasure(name, 'responseTime', name)),
  ...TIMES.map((name) => timeMeasure(`service.${name}`, 'serviceTime', name)),
  {
    name: 'errors',
    dimension: 'share',
    read: (measurement) => percent(failedCount(measurement), measurement.scheduled),
    certain: (measurement) =>
      percent(certainlyLost(measurement) + certainlyFailed(measurement), measurement.scheduled) ?? 0,
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
  return {
    name,
    dimension: 'time',
    read: (measurement) => {
      const summary = measurement[times];
      if (statistic === 'mean') {
        return summary.mean;
      }
      // Points of the summary come first, so that an exact one is preferred to one of the curve.
      const curve = times === 'responseTime' ? measurement.percentiles : [];
      const reaching = [...pointsOf(summary), ...curve].filter(([percentile]) => percentile >= wanted);
      return reaching.toSorted(([left], [right]) => left - right)[0]?.[1] ?? null;
    },
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

/** Requests lost by what no late generator causes. */
function certainlyLost(measurement: LoadMeasurement): number {
  return lostCount(measurement, (cause) => cause === 'ECONNREFUSED' || cause.startsWith('HPE_'));
}

/** Answers by which no target rightly defends itself against a burst. */
function certainlyFailed(measurement: LoadMeasurement): number {
  return answeredWith(measurement, (status) => isServerError(status) && status !== 503 && status !== 504);
}

/** Multiplied before it is divided, so that 7 of 100 is 7 and not a little more. */
function percent(part: number, whole: number): number | null {
  return whole > 0 ? (part * 100) / whole : null;
}
