import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';

import type { LoadReport } from '../../../reports/index.ts';
import { otlpMetricsOf } from './otlp-metrics.ts';

/**
 * Sends the figures of a load to an OTLP/HTTP receiver. Header fields that it asks for come from the environment, as
 * OpenTelemetry names them (`OTEL_EXPORTER_OTLP_HEADERS`).
 * @throws {Error} if it does not take them
 */
export async function sendOtlp(url: string, report: LoadReport): Promise<void> {
  const exporter = new OTLPMetricExporter({ url });
  const sent = Promise.withResolvers<void>();
  exporter.export(otlpMetricsOf(report), ({ error }) => {
    if (error === undefined) {
      sent.resolve();
    } else {
      sent.reject(error);
    }
  });
  try {
    await sent.promise;
  } finally {
    await exporter.shutdown();
  }
}
