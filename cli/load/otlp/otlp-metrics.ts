import type { HrTime } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';

import { LATENCY_BUCKETS } from '../../../contract/latency-buckets.ts';
import { loadMetrics, type LoadReport, type MetricFamily } from '../../../reports/index.ts';

type Sample = MetricFamily['samples'][number];

/** When the run began and ended. */
interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

const PREFIX = /^stockcheck_load_?/;

/** Units as UCUM writes them. */
const UNITS: Readonly<Record<MetricFamily['unit'], string>> = {
  seconds: 's',
  ratio: '1',
  requests_per_second: '{request}/s',
  '': '1',
};

/**
 * The figures of a load in the data model of OpenTelemetry, with the names of the OpenMetrics file in dots and without
 * units. Quantiles are left out: the histograms hold them, and add up.
 */
export function otlpMetricsOf(report: LoadReport): ResourceMetrics {
  const start = new Date(report.startedAt).getTime();
  const span = { startTime: timeOf(start), endTime: timeOf(start + report.durationSeconds * 1000) };
  const { version } = report.suite;
  return {
    resource: resourceFromAttributes({ 'service.name': 'stockcheck', 'service.version': version }),
    scopeMetrics: [
      {
        scope: { name: 'stockcheck.load', version },
        metrics: loadMetrics(report).flatMap((family) => metricOf(family, span)),
      },
    ],
  };
}

function metricOf(family: MetricFamily, span: Span): readonly MetricData[] {
  const { type, unit, help, samples } = family;
  if (samples.length === 0 || type === 'summary') {
    return [];
  }
  const bare = family.name.replace(PREFIX, '').replace(new RegExp(`_${unit || '$'}$`), '');
  const common = {
    descriptor: {
      name: bare === '' ? 'stockcheck.load' : `stockcheck.load.${bare}`,
      description: help,
      unit: UNITS[unit],
      valueType: 1,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  switch (type) {
    case 'counter':
      return [
        {
          ...common,
          dataPointType: DataPointType.SUM,
          isMonotonic: true,
          dataPoints: pointsOf(samples, span),
        },
      ];
    case 'histogram':
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(samples, span) }];
    case 'gauge':
    case 'info':
    case 'stateset':
      return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: pointsOf(samples, span) }];
  }
}

function pointsOf(samples: readonly Sample[], span: Span): DataPoint<number>[] {
  return samples.map(({ labels, value }) => Object.assign({ attributes: labels, value }, span));
}

/** Buckets are cumulative in OpenMetrics, and are not here. */
function histogramsOf(
  samples: readonly Sample[],
  span: Span,
): Extract<MetricData, { dataPointType: DataPointType.HISTOGRAM }>['dataPoints'] {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify(withoutBound(labels)));
  return [...series.values()].map((all) => {
    const upTo = all.filter(({ suffix }) => suffix === '_bucket').map(({ value }) => value);
    const valueOf = (suffix: string): number => all.find((one) => one.suffix === suffix)?.value ?? 0;
    const value = {
      buckets: {
        boundaries: LATENCY_BUCKETS.map((bound) => bound / 1000),
        counts: upTo.map((count, index) => count - (upTo[index - 1] ?? 0)),
      },
      count: valueOf('_count'),
      sum: valueOf('_sum'),
    };
    return Object.assign({ attributes: withoutBound(all[0]?.labels ?? {}), value }, span);
  });
}

function withoutBound(labels: Sample['labels']): Sample['labels'] {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'le'));
}

function timeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}
