import { importOptional } from '../../../contract/optional-package.ts';
import type { LoadReport } from '../../../reports/index.ts';

/**
 * What sends the figures of a load to an OTLP/HTTP receiver. Its packages are loaded when this is called.
 * @throws {ConfigurationError} if they are not installed
 */
export async function openOtlp(url: string): Promise<(report: LoadReport) => Promise<void>> {
  const { sendOtlp } = await importOptional(
    '--otlp',
    [
      '@opentelemetry/api',
      '@opentelemetry/exporter-metrics-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
    ],
    () => import('./send-otlp.ts'),
  );
  return (report) => sendOtlp(url, report);
}
