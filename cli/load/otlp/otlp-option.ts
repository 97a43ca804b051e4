import { ConfigurationError } from '../../../contract/configuration-error.ts';

const SIGNAL_PATH = 'v1/metrics';

/**
 * Where metrics go: the address as it is, or `/v1/metrics` below one that has no path (OTLP 1.5, OTLP/HTTP request).
 * @throws {ConfigurationError} that names the option, and shows neither user nor password
 */
export function parseOtlpUrl(text: string, named: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new ConfigurationError(
      `${named} must be the address of an OTLP/HTTP receiver, such as http://127.0.0.1:4318`,
    );
  }
  return url.pathname === '/' ? new URL(SIGNAL_PATH, url).href : url.href;
}
