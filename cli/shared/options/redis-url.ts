import { ConfigurationError } from '../../../contract/configuration-error.ts';

/**
 * The address of a Redis: `redis://HOST:PORT` or `redis://HOST:PORT/DB`, also `rediss:` and with user and password.
 * @throws {ConfigurationError} that names the option, and no password
 */
export function parseRedisUrl(named: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !['redis:', 'rediss:'].includes(url.protocol) ||
    url.hostname === '' ||
    !/^(?:\/\d*)?$/.test(url.pathname) ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new ConfigurationError(
      `${named} must be redis://HOST:PORT or redis://HOST:PORT/DB, not ${JSON.stringify(withoutPassword(text))}`,
    );
  }
  return text;
}

/** As it may be shown. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//…@');
}
