import type { LatencySummary, LoadMeasurement } from '../../contract/load-result.ts';

export const SAMPLE_TIMES: LatencySummary = {
  count: 1000,
  min: 1,
  mean: 12,
  p50: 10,
  p90: 20,
  p95: 40,
  p99: 80,
  p999: 160,
  max: 200,
};

export const NO_TIMES: LatencySummary = {
  count: 0,
  min: null,
  mean: null,
  p50: null,
  p90: null,
  p95: null,
  p99: null,
  p999: null,
  max: null,
};

/** A measurement without a fault: 1,000 requests in two seconds, each answered 200. */
export function sampleMeasurement(changes: Partial<LoadMeasurement> = {}): LoadMeasurement {
  return {
    model: 'open',
    durationSeconds: 2,
    scheduled: 1000,
    sent: 1000,
    answered: 1000,
    unsent: 0,
    lost: {},
    statuses: { '200': 1000 },
    scheduledRate: 500,
    achievedRate: 500,
    goodput: 500,
    responseTime: SAMPLE_TIMES,
    serviceTime: { ...SAMPLE_TIMES, p99: 30, max: 50 },
    percentiles: [],
    operations: [],
    seconds: [],
    generatorLag: NO_TIMES,
    invalid: [],
    ...changes,
  };
}
