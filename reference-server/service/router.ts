export type RoutedOperation = 'listInventory' | 'updateInventory' | 'getPet' | 'listOrders';

export type RouteMatch =
  | { readonly kind: 'operation'; readonly operation: RoutedOperation; readonly petId: string }
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'not-found' };

/** Finds the operation for a method and a request target as it stood on the wire. */
export type Router = (method: string, target: string) => RouteMatch;

interface Resource {
  readonly method: string;
  readonly operation: RoutedOperation;
  /** Segments after the base path; `null` stands for the petId. */
  readonly segments: readonly (string | null)[];
}

/** Path of the base address if none is chosen. */
export const BASE_PATH = '/v1';

const RESOURCES: readonly Resource[] = [
  { method: 'GET', operation: 'listInventory', segments: ['inventory'] },
  { method: 'PATCH', operation: 'updateInventory', segments: ['inventory', null] },
  { method: 'GET', operation: 'getPet', segments: ['pets', null] },
  { method: 'GET', operation: 'listOrders', segments: ['store', 'orders'] },
];

const NOT_FOUND: RouteMatch = { kind: 'not-found' };

/**
 * Any query and one trailing slash are tolerated; percent-encoding is undone segment by segment.
 * @param basePath path of the base address, such as `/v1`
 */
export function createRouter(basePath: string): Router {
  const fixedPaths = new Map(
    RESOURCES.filter(({ segments }) => !segments.includes(null)).map((resource) => [
      `${basePath}/${resource.segments.join('/')}`,
      resource,
    ]),
  );
  const base = basePath.slice(1).split('/');

  return (method, target) => {
    const fixed = fixedPaths.get(target);
    if (fixed !== undefined) {
      return matchMethod(fixed, method, '');
    }
    const segments = readSegments(target, base);
    const resource = RESOURCES.find((candidate) => fits(candidate.segments, segments));
    return resource === undefined ? NOT_FOUND : matchMethod(resource, method, segments.at(-1) ?? '');
  };
}

function matchMethod(resource: Resource, method: string, petId: string): RouteMatch {
  return method === resource.method
    ? { kind: 'operation', operation: resource.operation, petId }
    : { kind: 'method-not-allowed', allow: resource.method };
}

function fits(pattern: readonly (string | null)[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((wanted, index) => (wanted === null ? segments[index] !== '' : wanted === segments[index]))
  );
}

/** The decoded segments after the base path; none if the target lies elsewhere or is badly encoded. */
function readSegments(target: string, base: readonly string[]): readonly string[] {
  // RFC 9112, section 3.2.2: a server accepts the absolute form, too.
  const originForm = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const path = originForm.replace(/[?#].*$/s, '').replace(/\/$/, '');
  if (!path.startsWith('/')) {
    return [];
  }
  const segments = path.slice(1).split('/').map(decodeSegment);
  const decoded = segments.filter((segment) => segment !== undefined);
  const isBelowBase = base.every((wanted, index) => wanted === segments[index]);
  return isBelowBase && decoded.length === segments.length ? decoded.slice(base.length) : [];
}

/** Undoes percent-encoding; `undefined` if it is malformed or not UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
