import { countText } from '../../../contract/words/enumeration.ts';
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

/** An address with its host and scheme spelled as in a base address, without a default port and a fragment. */
export function absoluteUrl(url: string): string {
  const [, origin, rest] = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)([^#]*)/i.exec(url) ?? [];
  const parsed = origin === undefined ? null : URL.parse(origin);
  return parsed === null || parsed.origin === 'null' ? url : parsed.origin + (rest ?? '');
}

/** Both base addresses of the specification end in `/v1` (section "What the service does"). */
const DOCUMENTED =
  /^(https?:\/\/[^/?#]+(?:\/[^/?#]+)*?)(\/(?:inventory|pets|store\/orders)(?:\/[^/?#]*)?)(?:\?.*)?$/;
const VERSION = /\/v1$/;

/**
 * The base address to which the traffic's documented requests went; `null` if there is none that ends in `/v1`.
 * @throws {ConfigurationError} if there is more than one
 */
export function findBaseAddress(traffic: readonly TrafficExchange[]): BaseAddress | null {
  const counts = countBases(traffic).filter(([base]) => VERSION.test(base));
  const [only, ...others] = counts;
  if (others.length > 0) {
    const found = counts.map(([base, count]) => `${base} (${countText(count, 'request')})`).join(', ');
    throw new ConfigurationError(
      `The traffic went to several base addresses: ${found}. Name the one to judge as TARGET`,
    );
  }
  return only?.[0] ?? null;
}

/**
 * Why a recording has nothing to judge, in a sentence, with the address that may be meant; `null` if it has.
 * @param base `null` if none was found
 */
export function noteNothingToJudge(
  traffic: readonly TrafficExchange[],
  base: BaseAddress | null,
): string | null {
  const bases = countBases(traffic).map(([other]) => other);
  if (base !== null && bases.includes(base)) {
    return null;
  }
  const where = base === null ? 'a base address that ends in /v1' : base;
  const hint =
    bases.length === 0
      ? ''
      : ` There are such requests below ${bases.slice(0, 3).join(', ')}: name the base address as TARGET.`;
  return `No request of the traffic went to an operation of the service below ${where}.${hint}`;
}

/** How many documented requests went to each base address; what never reached the service counts if nothing else does. */
function countBases(
  traffic: readonly TrafficExchange[],
): readonly (readonly [base: BaseAddress, count: number])[] {
  const sent = traffic.filter(({ isLocal }) => isLocal !== true);
  const counts = new Map<BaseAddress, number>();
  for (const {
    request: { method, url },
  } of sent.length > 0 ? sent : traffic) {
    const [, base, path] = DOCUMENTED.exec(url) ?? [];
    if (base !== undefined && path !== undefined && documentedOperation({ method, path }) !== null) {
      counts.set(base, (counts.get(base) ?? 0) + 1);
    }
  }
  return [...counts];
}
