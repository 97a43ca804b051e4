export type Operation = 'listInventory' | 'updateInventory' | 'getPet' | 'listOrders';

type RouteMatch =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly petId: string }
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'not-found' };

/** Finds the operation for a method and a request target as it stood on the wire. */
export type Router = (method: string, target: string) => RouteMatch;

interface Resource {
  readonly method: string;
  readonly operation: Operation;
  /** Segments after `/v1`; `null` stands for the petId. */
  readonly segments: readonly (string | null)[];
}

/** Path of the base address. */
export const BASE_PATH = '/v1';

const RESOURCES: readonly Resource[] = [
  { method: 'GET', operation: 'listInventory', segments: ['inventory'] },
  { method: 'PATCH', operation: 'updateInventory', segments: ['inventory', null] },
  { method: 'GET', operation: 'getPet', segments: ['pets', null] },
  { method: 'GET', operation: 'listOrders', segments: ['store', 'orders'] },
];

const NOT_FOUND: RouteMatch = { kind: 'not-found' };

const FIXED_PATHS = new Map(
  RESOURCES.filter(({ segments }) => !segments.includes(null)).map((resource) => [
    `${BASE_PATH}/${resource.segments.join('/')}`,
    resource,
  ]),
);

/** Any query and one trailing slash are tolerated; percent-encoding is undone segment by segment. */
export const route: Router = (method, target) => {
  const fixed = FIXED_PATHS.get(target);
  if (fixed !== undefined) {
    return matchMethod(fixed, method, '');
  }
  const segments = readSegments(target);
  const resource = RESOURCES.find((candidate) => fits(candidate.segments, segments));
  return resource === undefined ? NOT_FOUND : matchMethod(resource, method, segments.at(-1) ?? '');
};

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

/** The decoded segments after the base path; none where the target lies elsewhere or is badly encoded. */
function readSegments(target: string): readonly string[] {
  // RFC 9112, section 3.2.2: a server accepts the absolute form, too.
  const originForm = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const path = originForm.replace(/[?#].*$/s, '').replace(/\/$/, '');
  if (!path.startsWith('/')) {
    return [];
  }
  const [version, ...segments] = path.slice(1).split('/').map(decodeSegment);
  const decoded = segments.filter((segment) => segment !== undefined);
  return `/${version}` === BASE_PATH && decoded.length === segments.length ? decoded : [];
}

/** Undoes percent-encoding; `undefined` where it is malformed or not UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
