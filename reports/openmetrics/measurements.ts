import { LATENCY_BUCKETS } from '../../contract/latency-buckets.ts';
import type {
  BucketCounts,
  LatencySummary,
  LoadMeasurement,
  LoadScenarioResult,
} from '../../contract/load-result.ts';
import { allLost } from '../model/load.ts';
import { family, type Labels, type MetricFamily, sampleOf } from './text.ts';

type Samples = MetricFamily['samples'];

const RATE = 'requests_per_second';

/** What each round measured; the label `round` counts from 1. */
export function measurementFamilies(scenarios: readonly LoadScenarioResult[]): readonly MetricFamily[] {
  const each = (of: (measurement: LoadMeasurement, labels: Labels) => Samples): Samples =>
    scenarios.flatMap(({ id, measurements }) =>
      measurements.flatMap((measurement, index) =>
        of(measurement, { scenario: id, round: `${index + 1}`, model: measurement.model }),
      ),
    );
  return [
    {
      ...family('measurement_valid', 'gauge', '1 if the figures are valid, 0 if they are not.'),
      samples: each(({ invalid }, labels) => sampleOf(labels, invalid.length === 0 ? 1 : 0)),
    },
    {
      ...family('requests', 'counter', 'Requests scheduled, sent, answered and not sent.'),
      samples: each(({ scheduled, sent, answered, unsent }, labels) =>
        counts(labels, 'state', { scheduled, sent, answered, unsent }),
      ),
    },
    {
      ...family('responses', 'counter', 'Answers by status.'),
      samples: each(({ statuses }, labels) => counts(labels, 'status', statuses)),
    },
    {
      ...family('lost_requests', 'counter', 'Requests sent and never answered, by cause.'),
      samples: each(({ lost }, labels) => counts(labels, 'cause', lost)),
    },
    {
      ...family('lost_ratio', 'gauge', 'Share of the requests sent that were never answered.', 'ratio'),
      samples: each((measurement, labels) =>
        sampleOf(labels, measurement.sent === 0 ? null : allLost(measurement) / measurement.sent),
      ),
    },
    {
      ...family('scheduled_requests_per_second', 'gauge', 'Scheduled rate.', RATE),
      samples: each(({ scheduledRate }, labels) => sampleOf(labels, scheduledRate)),
    },
    {
      ...family('achieved_requests_per_second', 'gauge', 'Rate of requests sent.', RATE),
      samples: each(({ achievedRate }, labels) => sampleOf(labels, achievedRate)),
    },
    {
      ...family('goodput_requests_per_second', 'gauge', 'Rate of 2xx answers.', RATE),
      samples: each(({ goodput }, labels) => sampleOf(labels, goodput)),
    },
    {
      ...family('otherwise_answered_requests_per_second', 'gauge', 'Rate of all other answers.', RATE),
      samples: each(({ answers }, labels) => sampleOf(labels, answers?.other.rate ?? null)),
    },
    histogramFamily('response_time', 'Response times', 'responseTime', each),
    histogramFamily('service_time', 'Service times', 'serviceTime', each),
    ...timeFamilies('response_time', 'From when a request was due, or sent, to the last byte', (of) =>
      each(({ responseTime }, labels) => of(responseTime, labels)),
    ),
    ...timeFamilies('service_time', 'From the sending of a request to the last byte', (of) =>
      each(({ serviceTime }, labels) => of(serviceTime, labels)),
    ),
    ...timeFamilies('generator_lag', 'How late the load generator sent requests', (of) =>
      each(({ generatorLag }, labels) => of(generatorLag, labels)),
    ),
  ];
}

/** A sample for each count; the label says what is counted. */
function counts(labels: Labels, name: string, of: Readonly<Record<string, number>>): Samples {
  return Object.entries(of).flatMap(([key, count]) => sampleOf({ ...labels, [name]: key }, count, '_total'));
}

type EachMeasurement = (of: (measurement: LoadMeasurement, labels: Labels) => Samples) => Samples;

/** Times in classic buckets, which are the same for every run. */
function histogramFamily(
  name: string,
  help: string,
  member: 'responseTime' | 'serviceTime',
  each: EachMeasurement,
): MetricFamily {
  const described = `${help} in buckets that add up over runs.`;
  return {
    ...family(`${name}_histogram_seconds`, 'histogram', described, 'seconds'),
    samples: each(({ histograms, [member]: summary }, labels) =>
      histograms === undefined ? [] : histogramSamples(histograms[member], summary, labels),
    ),
  };
}

function histogramSamples(buckets: BucketCounts, summary: LatencySummary, labels: Labels): Samples {
  const counts = new Map(buckets);
  let total = 0;
  const cumulative = LATENCY_BUCKETS.flatMap((upTo) => {
    total += counts.get(upTo) ?? 0;
    return sampleOf({ ...labels, le: canonical(upTo / 1000) }, total, '_bucket');
  });
  return [
    ...cumulative,
    ...sampleOf({ ...labels, le: '+Inf' }, summary.count, '_bucket'),
    ...sampleOf(labels, summary.count, '_count'),
    ...sampleOf(labels, sumOf(summary) ?? 0, '_sum'),
  ];
}

/** A number as a label, which readers compare as text: whole ones have a fraction (OpenMetrics 1.0, considerations of canonical numbers). */
function canonical(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : `${value}`;
}

/** Seconds of all times together. */
function sumOf({ mean, count }: LatencySummary): number | null {
  return mean === null ? null : (mean * count) / 1000;
}

type EachTime = (of: (summary: LatencySummary, labels: Labels) => Samples) => Samples;

function timeFamilies(name: string, help: string, each: EachTime): readonly MetricFamily[] {
  return [
    {
      ...family(`${name}_seconds`, 'summary', `${help}.`, 'seconds'),
      samples: each((summary, labels) => summarySamples(summary, labels)),
    },
    {
      ...family(`${name}_min_seconds`, 'gauge', `${help}: the shortest.`, 'seconds'),
      samples: each(({ min }, labels) => sampleOf(labels, seconds(min))),
    },
    {
      ...family(`${name}_max_seconds`, 'gauge', `${help}: the longest.`, 'seconds'),
      samples: each(({ max }, labels) => sampleOf(labels, seconds(max))),
    },
  ];
}

function summarySamples(summary: LatencySummary, labels: Labels): Samples {
  const { count, p50, p90, p95, p99, p999 } = summary;
  const quantiles = { '0.5': p50, '0.9': p90, '0.95': p95, '0.99': p99, '0.999': p999 };
  return [
    ...Object.entries(quantiles).flatMap(([quantile, time]) =>
      sampleOf({ ...labels, quantile }, seconds(time)),
    ),
    ...sampleOf(labels, count, '_count'),
    ...sampleOf(labels, sumOf(summary), '_sum'),
  ];
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1000;
}
