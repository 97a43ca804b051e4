import { isInt64 } from '../../../contract/json/index.ts';
import type { Operation, RequestMessage } from '../exchange.ts';

/** Which operation a request reaches, by its method and its path. */
export type RequestTarget =
  /** As the specification writes it. */
  | { readonly kind: 'documented'; readonly operation: Operation; readonly petId: PetIdText }
  /** In a spelling that a server may take for the documented one. */
  | { readonly kind: 'spelled'; readonly operation: Operation; readonly petId: PetIdText }
  /** Anything else; it may change something only if `mayWrite`. */
  | { readonly kind: 'undocumented'; readonly mayWrite: boolean };

/**
 * The petId in a path: the int64 that its digits spell, `beyond int64` if they spell no pet at all, or `odd` if it is open
 * what the text means; `null` without any.
 */
export type PetIdText = bigint | 'beyond int64' | 'odd' | null;

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly operation: Operation;
}

const ROUTES: readonly Route[] = [
  { method: 'GET', pattern: /^\/inventory$/, operation: 'listInventory' },
  { method: 'PATCH', pattern: /^\/inventory\/(?<petId>[^/]+)$/, operation: 'updateInventory' },
  { method: 'GET', pattern: /^\/pets\/(?<petId>[^/]+)$/, operation: 'getPet' },
  { method: 'GET', pattern: /^\/store\/orders$/, operation: 'listOrders' },
];

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** @param path relative to the base address */
export function readRequestTarget({ method, path }: Pick<RequestMessage, 'method' | 'path'>): RequestTarget {
  const isPlain = !/[?#%;\\]/.test(path);
  const exact = isPlain ? match(method, path) : undefined;
  if (exact !== undefined && isInCanonicalForm(exact, path)) {
    return { kind: 'documented', ...exact };
  }
  const spelled = exact ?? match(method.toUpperCase(), normalized(path));
  return spelled === undefined
    ? { kind: 'undocumented', mayWrite: !SAFE_METHODS.has(method.toUpperCase()) }
    : { kind: 'spelled', ...spelled };
}

/**
 * The operation that a request is meant for as the specification writes it; `null` for an id of zero or below too, for which
 * a router may have no path.
 * @param request with its path relative to the base address
 */
export function documentedOperation(request: Pick<RequestMessage, 'method' | 'path'>): Operation | null {
  const target = readRequestTarget(request);
  return target.kind === 'documented' && !isNotPositive(target.petId) ? target.operation : null;
}

/**
 * Whether a request is for a documented operation but for its query, a slash at its end, or percent-encodings.
 * @param request with its path relative to the base address
 */
export function isDocumentedButForSpelling({
  method,
  path,
}: Pick<RequestMessage, 'method' | 'path'>): boolean {
  const plain = percentDecoded(path).replace(/\?.*$/, '').replace(/\/$/, '');
  return documentedOperation({ method, path: plain }) !== null;
}

/** Whether it is an int64 that is no id of a pet by any usual scheme. */
export function isNotPositive(petId: PetIdText): boolean {
  return typeof petId === 'bigint' && petId <= 0n;
}

function match(
  method: string,
  path: string,
): { readonly operation: Operation; readonly petId: PetIdText } | undefined {
  for (const { method: wanted, pattern, operation } of ROUTES) {
    const found = method === wanted ? pattern.exec(path) : null;
    if (found !== null) {
      return { operation, petId: readPetId(found.groups?.['petId']) };
    }
  }
  return undefined;
}

function readPetId(text: string | undefined): PetIdText {
  if (text === undefined) {
    return null;
  }
  if (!/^[+-]?\d{1,40}$/.test(text)) {
    return 'odd';
  }
  const petId = BigInt(text.replace(/^\+/, ''));
  return isInt64(petId) ? petId : 'beyond int64';
}

/** Whether the path has its petId, if any, as JSON writes an int64. */
function isInCanonicalForm({ petId }: { readonly petId: PetIdText }, path: string): boolean {
  return petId === null || (typeof petId === 'bigint' && path.endsWith(`/${petId}`));
}

/** The path that a server may take another one for: without a query, decoded, in small letters, and so on. */
function normalized(path: string): string {
  const decoded = percentDecoded(path.replace(/[?#].*$/s, ''))
    .replaceAll('\\', '/')
    .toLowerCase();
  const segments: string[] = [];
  for (const segment of decoded
    .split('/')
    .map((part) => part.replace(/;.*$/s, '').replaceAll(/^[\s\0]+|[\s\0]+$/g, ''))) {
    if (segment === '..') {
      segments.pop();
    } else if (segment !== '' && segment !== '.') {
      segments.push(segment);
    }
  }
  return `/${segments.join('/')}`.replace(/\.json$/, '');
}

/** The text with its percent-encodings decoded, or as it is if one of them is broken. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
