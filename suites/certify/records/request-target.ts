import { percentDecoded } from '../../oracle/index.ts';
/** A request target, relative to the base address. */
export interface TargetReading {
  /** The decoded path segments below the base address, or `null` if it lies elsewhere. */
  readonly segments: readonly string[] | null;
  /** With its question mark; '' if it is empty. */
  readonly query: string;
}

/**
 * Reads a request target as it stood on the wire, in origin-form or absolute-form (RFC 9112, section 3.2).
 * Spellings that name the same resource read the same: one trailing slash, an empty query, dot segments and
 * needless percent-encoding (RFC 3986, section 6.2.2).
 * @param baseUrl address of the base, without a trailing slash
 */
export function readTarget(target: string, baseUrl: string): TargetReading {
  const url = URL.parse(target.startsWith('/') ? `http://host${target}` : target);
  if (url === null) {
    return { segments: null, query: '' };
  }
  const base = segmentsOf(new URL(baseUrl).pathname);
  const path = segmentsOf(url.pathname);
  const isBelow = base.every((segment, index) => path[index] === segment);
  return { segments: isBelow ? path.slice(base.length) : null, query: url.search };
}

function segmentsOf(pathname: string): readonly string[] {
  return pathname.replace(/\/$/, '').split('/').slice(1).map(percentDecoded);
}
