import type { LatencySummary, LoadMeasurement } from '../../contract/load-result.ts';
import type { TimeStatistic } from '../judging/threshold-expression.ts';

/**
 * A statistic of the times of a measurement, in milliseconds; `null` if nothing was answered.
 *
 * A percentile that the summary does not hold is that of the next higher point of the curve, or of the
 * summary if it has none: never less than the true one.
 */
export function percentileOf(
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
