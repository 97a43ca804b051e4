import { LATENCY_BUCKETS } from '../../contract/latency-buckets.ts';
import type {
  BucketCounts,
  LatencySummary,
  LoadMeasurement,
  LoadScenarioResult,
} from '../../contract/load-result.ts';
import { allLost } from '../model/load.ts';
import { family, sampleOf, type Labels, type MetricFamily, type Unit } from './text.ts';

type Samples = MetricFamily['samples'];
type EachMeasurement = (of: (measurement: LoadMeasurement, labels: Labels) => Samples) => Samples;

/** What each round measured; the label `round` counts from 1. */
export function measurementFamilies(scenarios: readonly LoadScenarioResult[]): readonly MetricFamily[] {
  const each: EachMeasurement = (of) =>
    scenarios.flatMap(({ id, measurements }) =>
      measurements.flatMap((measurement, index) =>
        of(measurement, { scenario: id, round: `${index + 1}`, model: measurement.model }),
      ),
    );
  return [
    ...countFamilies(each),
    ...shareFamilies(each),
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

/** Counts by the label that says what is counted. */
function countFamilies(each: EachMeasurement): readonly MetricFamily[] {
  const counts = (
    name: string,
    help: string,
    label: string,
    of: (measurement: LoadMeasurement) => Readonly<Record<string, number>>,
  ): MetricFamily =>
    family(
      [name, 'counter', help],
      each((measurement, labels) =>
        Object.entries(of(measurement)).flatMap(([key, count]) =>
          sampleOf({ ...labels, [label]: key }, count, '_total'),
        ),
      ),
    );
  return [
    counts(
      'requests',
      'Requests scheduled, sent, answered and not sent.',
      'state',
      ({ scheduled, sent, answered, unsent }) => ({ scheduled, sent, answered, unsent }),
    ),
    counts('responses', 'Answers by status.', 'status', ({ statuses }) => statuses),
    counts('lost_requests', 'Requests sent and never answered, by cause.', 'cause', ({ lost }) => lost),
  ];
}

const RATE = 'requests_per_second';

/** Rates and shares of a whole round. */
function shareFamilies(each: EachMeasurement): readonly MetricFamily[] {
  const gauge = (
    name: string,
    help: string,
    unit: Unit,
    of: (measurement: LoadMeasurement) => number | null,
  ): MetricFamily =>
    family(
      [name, 'gauge', help, unit],
      each((measurement, labels) => sampleOf(labels, of(measurement))),
    );
  return [
    gauge('measurement_valid', '1 if the figures are valid, 0 if they are not.', '', ({ invalid }) =>
      invalid.length === 0 ? 1 : 0,
    ),
    gauge('lost_ratio', 'Share of the requests sent that were never answered.', 'ratio', (measurement) =>
      measurement.sent === 0 ? null : allLost(measurement) / measurement.sent,
    ),
    gauge(`scheduled_${RATE}`, 'Scheduled rate.', RATE, ({ scheduledRate }) => scheduledRate),
    gauge(`achieved_${RATE}`, 'Rate of requests sent.', RATE, ({ achievedRate }) => achievedRate),
    gauge(`goodput_${RATE}`, 'Rate of 2xx answers.', RATE, ({ goodput }) => goodput),
    gauge(
      `otherwise_answered_${RATE}`,
      'Rate of all other answers.',
      RATE,
      ({ answers }) => answers?.other.rate ?? null,
    ),
  ];
}

/** Times in classic buckets, which are the same for every run. */
function histogramFamily(
  name: string,
  help: string,
  member: 'responseTime' | 'serviceTime',
  each: EachMeasurement,
): MetricFamily {
  return family(
    [`${name}_histogram_seconds`, 'histogram', `${help} in buckets that add up over runs.`, 'seconds'],
    each(({ histograms, [member]: summary }, labels) =>
      histograms === undefined ? [] : histogramSamples(histograms[member], summary, labels),
    ),
  );
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
    family([`${name}_seconds`, 'summary', `${help}.`, 'seconds'], each(summarySamples)),
    family(
      [`${name}_min_seconds`, 'gauge', `${help}: the shortest.`, 'seconds'],
      each(({ min }, labels) => sampleOf(labels, seconds(min))),
    ),
    family(
      [`${name}_max_seconds`, 'gauge', `${help}: the longest.`, 'seconds'],
      each(({ max }, labels) => sampleOf(labels, seconds(max))),
    ),
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
