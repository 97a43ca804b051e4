import { ConfigurationError } from '../../suites/configuration-error.ts';

/** @throws {ConfigurationError} that names the option, and no password */
export function parseRedisUrl(named: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'redis:' && url.protocol !== 'rediss:') || url.hostname === '') {
    throw new ConfigurationError(
      `${named} takes redis://HOST:PORT (with TLS: rediss://HOST:PORT, with a password: redis://:PASSWORD@HOST:PORT)`,
    );
  }
  return text;
}
