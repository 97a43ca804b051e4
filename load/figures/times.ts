import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';

import type { LatencySummary } from '../../contract/load-result.ts';

const MICROSECONDS = 1000;
// A percentile is right to three digits up to an hour.
const HISTOGRAM = {
  lowestDiscernibleValue: 1,
  highestTrackableValue: 3_600_000_000,
  numberOfSignificantValueDigits: 3,
} as const;
// Plots need only two digits, which take less of the processor's cache.
const COARSE_HISTOGRAM = { ...HISTOGRAM, numberOfSignificantValueDigits: 2 } as const;

/** Times counted by class. Lowest and highest are kept exactly, in microseconds, since a class is a range. */
export interface Times {
  readonly histogram: Histogram;
  readonly lowest: number;
  readonly highest: number;
}

/** Times as JSON carries them; `null` if there are none. */
export type EncodedTimes = {
  /** A compressed histogram (V2) in base64. */
  readonly counts: string;
  readonly lowest: number;
  readonly highest: number;
} | null;

export const newHistogram = (): Histogram => build(HISTOGRAM);

export const newCoarseHistogram = (): Histogram => build(COARSE_HISTOGRAM);

/** What a histogram records of a time in milliseconds. */
export function toValue(milliseconds: number): number {
  return Math.min(HISTOGRAM.highestTrackableValue, Math.max(1, Math.round(milliseconds * MICROSECONDS)));
}

export function timesOf(histogram: Histogram): Times {
  return { histogram, lowest: histogram.minNonZeroValue, highest: histogram.maxValue };
}

/**
 * @param empty what they are added to, which has to be as fine as they are
 * @throws {Error} if the counts are no histogram
 */
export function sumOfTimes(all: readonly EncodedTimes[], empty: Histogram = newHistogram()): Times {
  const filled = all.filter((times) => times !== null);
  for (const { counts } of filled) {
    empty.add(decodeFromCompressedBase64(counts));
  }
  return {
    histogram: empty,
    lowest: Math.min(...filled.map(({ lowest }) => lowest)),
    highest: Math.max(0, ...filled.map(({ highest }) => highest)),
  };
}

export function encodeTimes(histogram: Histogram): EncodedTimes {
  const { lowest, highest } = timesOf(histogram);
  return histogram.totalCount === 0
    ? null
    : { counts: encodeIntoCompressedBase64(histogram), lowest, highest };
}

/** Milliseconds, or `null` if there are no times. */
export function percentileOfTimes({ histogram, highest }: Times, percentile: number): number | null {
  if (histogram.totalCount === 0) {
    return null;
  }
  // A percentile is the upper end of its class, which may lie beyond the highest value of all.
  const value = percentile === 100 ? Infinity : histogram.getValueAtPercentile(percentile);
  return Math.min(value, highest) / MICROSECONDS;
}

export type Quantiles = ReturnType<typeof quantilesOfTimes>;

export function quantilesOfTimes(times: Times) {
  return {
    p50: percentileOfTimes(times, 50),
    p99: percentileOfTimes(times, 99),
    max: percentileOfTimes(times, 100),
  };
}

export function summaryOfTimes(times: Times): LatencySummary {
  const { histogram, lowest } = times;
  const isEmpty = histogram.totalCount === 0;
  return {
    count: histogram.totalCount,
    min: isEmpty ? null : lowest / MICROSECONDS,
    mean: isEmpty ? null : histogram.mean / MICROSECONDS,
    p50: percentileOfTimes(times, 50),
    p90: percentileOfTimes(times, 90),
    p95: percentileOfTimes(times, 95),
    p99: percentileOfTimes(times, 99),
    p999: percentileOfTimes(times, 99.9),
    max: percentileOfTimes(times, 100),
  };
}
