import { createRedactor } from '../../suites/target/index.ts';
import { watchTraffic, type Watch } from '../../suites/watch/index.ts';

/** Watches a service of which no key is known, on a free port. Whoever starts it closes it. */
export function startWatch(
  base: string,
  options: Partial<Pick<Parameters<typeof watchTraffic>[0], 'sample' | 'judgingScript'>> = {},
): Promise<Watch> {
  return watchTraffic({
    base,
    keys: [],
    redactor: createRedactor(),
    hostname: '127.0.0.1',
    port: 0,
    keepHost: false,
    insecure: false,
    certificateAuthority: null,
    sample: 1,
    isExclusive: false,
    ...options,
  });
}
