import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { documentedOperation } from '../../oracle/index.ts';
import type { TrafficExchange } from './traffic-exchange.ts';

/** `http://HOST:PORT/PATH`, without a slash at its end. */
export type BaseAddress = string;

/** The path and query of a request relative to a base address, or `null` if it went elsewhere. */
export function pathBelow(base: BaseAddress, url: string): string | null {
  const rest = url.startsWith(base) ? url.slice(base.length) : null;
  return rest !== null && (rest === '' || rest.startsWith('/') || rest.startsWith('?')) ? rest : null;
}

/** Both base addresses of the specification end in `/v1` (section "What the service does"). */
const DOCUMENTED =
  /^(https?:\/\/[^/?#]+(?:\/[^/?#]+)*?\/v1)(\/(?:inventory|pets|store\/orders)(?:\/[^/?#]*)?)$/;

/**
 * The base address to which the traffic's documented requests went.
 * @throws {ConfigurationError} if there is none, or more than one
 */
export function findBaseAddress(traffic: readonly TrafficExchange[]): BaseAddress {
  if (traffic.length === 0) {
    throw new ConfigurationError('The recording holds no entry, so there is no traffic to judge');
  }
  const counts = new Map<BaseAddress, number>();
  for (const {
    request: { method, url },
  } of traffic) {
    const [, base, path] = DOCUMENTED.exec(url) ?? [];
    if (base !== undefined && path !== undefined && documentedOperation({ method, path }) !== null) {
      counts.set(base, (counts.get(base) ?? 0) + 1);
    }
  }
  const [only, ...others] = counts.keys();
  if (only === undefined) {
    throw new ConfigurationError(
      'No request of the traffic went to an operation of the service below a base address that ends in /v1. If the base address ends differently, name it as TARGET',
    );
  }
  if (others.length > 0) {
    const found = [...counts].map(([base, count]) => `${base} (${count} requests)`).join(', ');
    throw new ConfigurationError(
      `The traffic went to several base addresses: ${found}. Name the one to judge as TARGET`,
    );
  }
  return only;
}
