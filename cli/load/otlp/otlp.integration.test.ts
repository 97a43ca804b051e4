import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { startHttpServer } from '../../../fixtures/loopback.test-data.ts';
import { loadMetrics } from '../../../reports/index.ts';
import { SAMPLE_LOAD_REPORT } from '../../../reports/model/sample-load-report.test-data.ts';
import { runBinary, temporaryDirectory } from '../../run-binary.test-data.ts';
import { parseOtlpUrl } from './otlp-option.ts';
import { readExportRequest, type ReceivedMetric } from './otlp-receiver.test-data.ts';
import { sendOtlp } from './send-otlp.ts';

/** A receiver, and what it got. */
async function startReceiver(status = 200) {
  const paths: string[] = [];
  const metrics: ReceivedMetric[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    paths.push(`${request.method} ${request.url} ${request.headers['content-type']}`);
    metrics.push(...readExportRequest(await text(request)));
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  };
  const base = await startHttpServer((request, response) => void receive(request, response));
  return { url: new URL('/', base).href, paths, metrics };
}

describe('figures that are sent with OTLP', () => {
  test('are those of the OpenMetrics file, with histograms in place of quantiles', async () => {
    const { url, paths, metrics } = await startReceiver();
    await sendOtlp(parseOtlpUrl(url, '--otlp'), SAMPLE_LOAD_REPORT);
    expect(paths).toEqual(['POST /v1/metrics application/json']);
    const families = loadMetrics(SAMPLE_LOAD_REPORT).filter(
      ({ type, samples }) => type !== 'summary' && samples.length > 0,
    );
    expect(metrics).toHaveLength(families.length);
    expect(metrics.map(({ name }) => name)).toContain('stockcheck.load.goodput');
    const byName = new Map(metrics.map((metric) => [metric.name, metric]));
    expect(byName.get('stockcheck.load.requests')).toMatchObject({ data: 'sum', unit: '1' });
    expect(byName.get('stockcheck.load.lost')).toMatchObject({ data: 'gauge', unit: '1' });
    const times = byName.get('stockcheck.load.response_time_histogram');
    expect(times).toMatchObject({ data: 'histogram', unit: 's' });
    const measured = SAMPLE_LOAD_REPORT.scenarios.flatMap(({ id, measurements }) =>
      measurements.map(({ responseTime, histograms }, index) => ({
        series: `${id} ${index + 1}`,
        count: responseTime.count,
        bounds: histograms?.responseTime.map(([upTo]) => upTo),
      })),
    );
    const received = times?.points.map(({ attributes, count, bucketCounts, explicitBounds }) => ({
      series: `${attributes['scenario']} ${attributes['round']}`,
      count,
      bounds: bucketCounts.flatMap((inside, index) =>
        inside > 0 ? [Math.round((explicitBounds[index] ?? 0) * 1e6) / 1e3] : [],
      ),
    }));
    expect(received).toEqual(measured);
  });

  test('are an error if the receiver does not take them', async () => {
    const { url } = await startReceiver(400);
    await expect(sendOtlp(parseOtlpUrl(url, '--otlp'), SAMPLE_LOAD_REPORT)).rejects.toThrow('Bad Request');
  });

  test('go out at the end of a load', async () => {
    const { url, metrics } = await startReceiver();
    const words = [
      'load',
      '--self',
      '--scenario',
      'latency',
      '--rate',
      '20',
      '--duration',
      '1s',
      '--ramp-up',
      '0',
    ];
    const { exitCode, stderr } = await runBinary([...words, '--otlp', url], temporaryDirectory());
    expect([exitCode === 2, stderr.includes('could not be sent')]).toEqual([false, false]);
    const times = metrics.find(({ name }) => name === 'stockcheck.load.response_time_histogram');
    expect(times?.points[0]?.count).toBeGreaterThan(0);
  });
});

test('the address of a receiver is one of HTTP, and has a path of its own or that of metrics', () => {
  expect(parseOtlpUrl('http://127.0.0.1:4318', '--otlp')).toBe('http://127.0.0.1:4318/v1/metrics');
  expect(parseOtlpUrl('https://otel.example/api/v1/otlp/v1/metrics', '--otlp')).toBe(
    'https://otel.example/api/v1/otlp/v1/metrics',
  );
  for (const wrong of ['127.0.0.1:4318', 'grpc://127.0.0.1:4317', '']) {
    expect(() => parseOtlpUrl(wrong, '--otlp')).toThrow(
      '--otlp must be the address of an OTLP/HTTP receiver',
    );
  }
});
